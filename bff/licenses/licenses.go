// Package licenses holds the notices of the third-party software that the program contains.
// tools/licenses makes both files; third-party.txt is the one to read.
package licenses

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"fmt"
	"io"
)

// notices is third-party.txt, compressed: 32 kB in the program instead of 194.
//
//go:embed third-party.txt.gz
var notices []byte

// Write writes the names, versions and license texts of all third-party software in the program.
//
// Errors: w failed.
func Write(w io.Writer) error {
	text, err := gzip.NewReader(bytes.NewReader(notices))
	if err != nil {
		return fmt.Errorf("decompressing the third-party notices: %w", err)
	}
	if _, err := io.Copy(w, text); err != nil {
		return fmt.Errorf("writing the third-party notices: %w", err)
	}
	return nil
}
