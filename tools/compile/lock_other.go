//go:build !unix

package compile

import (
	"os"
	"path/filepath"
)

// Lock only creates .cache in root; it does not exclude other builds.
func Lock(root string) (unlock func(), err error) {
	path := filepath.Join(root, ".cache", "build.lock")
	return func() {}, os.MkdirAll(filepath.Dir(path), 0o755)
}
