package wire

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"testing"

	"coinslot/bff/fortest"
)

// The view has exactly the members of the public contract, section 4.
func TestViewMatchesContract(t *testing.T) {
	raw, err := os.ReadFile("testdata/view.json")
	fortest.OK(t, err)
	var v View
	fortest.OK(t, json.Unmarshal(raw, &v))
	again, err := json.Marshal(v)
	fortest.OK(t, err)
	var got, want any
	fortest.OK(t, errors.Join(json.Unmarshal(again, &got), json.Unmarshal(raw, &want)))
	fortest.Diff(t, got, want, "view (-contract +code)")
}

func TestCan(t *testing.T) {
	v := View{Actions: []Action{Cancel, Change}}
	if !v.Can(Cancel) || v.Can(Retry) {
		t.Errorf("Can(cancel), Can(retry) = %t, %t; want true, false", v.Can(Cancel), v.Can(Retry))
	}
}

func TestUnknownStatus(t *testing.T) {
	for _, s := range []Status{"paid", ""} {
		title, badge := s.Label()
		if s.Known() || s.Shown() != Preparing || s.Final() || title != string(s) || badge != "" {
			t.Errorf("%q: known %t, shown as %s, %q", s, s.Known(), s.Shown(), title)
		}
	}
}

func TestErrorsMatchByCode(t *testing.T) {
	err := fmt.Errorf("choosing: %w", &Error{Code: CodeSessionPaid, Detail: "the session is paid already"})
	if !errors.Is(err, &Error{Code: CodeSessionPaid}) || errors.Is(err, &Error{Code: CodeSessionExpired}) {
		t.Error("errors.Is does not compare codes")
	}
	fortest.Equal(t, err.Error(), "choosing: the session is paid already", "Error")
}
