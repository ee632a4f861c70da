//go:build !unix

package compile

import (
	"os"
	"path/filepath"
)

// Lock makes .cache in root, and does not keep other builds out: do not run two at a time.
func Lock(root string) (unlock func(), err error) {
	path := filepath.Join(root, ".cache", "build.lock")
	return func() {}, os.MkdirAll(filepath.Dir(path), 0o755)
}
