package widget

import "testing"

// TestCopyResultBelongsToValue: what was copied is not said of another value.
func TestCopyResultBelongsToValue(t *testing.T) {
	button := &Copyable{Value: "1", Text: CopyText{Button: "copy", Copied: "done", Failed: "no"},
		state: copyDone, resultOf: "1"}
	if button.buttonText() != "done" {
		t.Errorf("the button says %q", button.buttonText())
	}
	if button.Value = "2"; button.buttonText() != "copy" {
		t.Errorf("the button says %q of another value", button.buttonText())
	}
}
