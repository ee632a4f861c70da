// Package html is what go-app needs of the package of that name.
package html

import "strings"

// EscapeString escapes what has a meaning in HTML.
func EscapeString(s string) string {
	for _, pair := range [][2]string{{"&", "&amp;"}, {"'", "&#39;"}, {"<", "&lt;"}, {">", "&gt;"}, {`"`, "&#34;"}} {
		s = strings.ReplaceAll(s, pair[0], pair[1])
	}
	return s
}
