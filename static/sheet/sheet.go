// Package sheet puts the checkout's style sheet together.
package sheet

import (
	"bytes"
	"fmt"
	"io/fs"
)

// Of returns checkout.css: the files css/*.css of a folder like static, in the
// order of their names. Errors: one cannot be read, or there is none (fs.ErrNotExist).
func Of(files fs.FS) ([]byte, error) {
	names, err := fs.Glob(files, "css/*.css")
	if err != nil {
		return nil, fmt.Errorf("listing the parts of checkout.css: %w", err)
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("reading the parts of checkout.css: %w", fs.ErrNotExist)
	}
	var whole bytes.Buffer
	for _, name := range names {
		part, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, fmt.Errorf("reading a part of checkout.css: %w", err)
		}
		whole.Write(part)
	}
	return whole.Bytes(), nil
}
