package widget

import "testing"

func TestCopyResultBelongsToValue(t *testing.T) {
	text := CopyText{Button: "copy", Copied: "done", Failed: "no"}
	b := copyButton{"1", copied}
	one := b.text(text, "1")
	two := b.text(text, "2")
	if one != "done" || two != "copy" {
		t.Errorf("the button says %q, and %q for another value; want done, copy", one, two)
	}
}
