package config

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"os"
)

// maxLogo is the largest logo, in bytes: shoppers load it with their first page.
const maxLogo = 64 << 10

// ReadLogo returns the content of COINSLOT_LOGO and its extension, ".svg" or ".png"; both empty for
// an empty path.
func ReadLogo(path string) (content []byte, extension string, err error) {
	if path == "" {
		return nil, "", nil
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, "", errors.New("the file cannot be read")
	}
	defer file.Close()
	content, err = io.ReadAll(io.LimitReader(file, maxLogo+1))
	switch {
	case err != nil:
		return nil, "", errors.New("the file cannot be read")
	case len(content) > maxLogo:
		return nil, "", errors.New("the file has more than 64 kB: export a smaller one")
	case http.DetectContentType(content) == "image/png":
		return content, ".png", nil
	case bytes.Contains(content, []byte("<svg")):
		return content, ".svg", nil
	}
	return nil, "", errors.New("the file is neither SVG nor PNG: export it as one of them")
}
