//go:build !js

package widget

import (
	"encoding/json"
	"fmt"
)

// ReadText parses static/text/<language>.json: a JSON object of key and text, where a text that
// depends on a number is an object of plural category and text, stored as "key#category".
// Errors: raw is no such object.
func ReadText(raw []byte) (map[string]string, error) {
	var entries map[string]json.RawMessage
	if err := json.Unmarshal(raw, &entries); err != nil {
		return nil, fmt.Errorf("decoding a text catalog: %w", err)
	}
	text := make(map[string]string, len(entries))
	for key, entry := range entries {
		var sentence string
		if json.Unmarshal(entry, &sentence) == nil {
			text[key] = sentence
			continue
		}
		var forms map[string]string
		if err := json.Unmarshal(entry, &forms); err != nil {
			return nil, fmt.Errorf("decoding the text of %q: %w", key, err)
		}
		for category, form := range forms {
			text[key+"#"+category] = form
		}
	}
	return text, nil
}
