package widget

import "testing"

func TestCopyResultBelongsToValue(t *testing.T) {
	text, b := CopyText{Button: "copy", Copied: "done", Failed: "no"}, copyButton{"1", copied}
	if one, two := b.text(text, "1"), b.text(text, "2"); one != "done" || two != "copy" {
		t.Errorf("the button says %q, and %q for another value; want done, copy", one, two)
	}
}
