package gallery

import (
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"coinslot/bff/fortest"
)

// TestIndex: every screen is one click away, in the look that was chosen, and what the page shows
// is there.
func TestIndex(t *testing.T) {
	handler := fortest.Must(Handler("../../static"))(t)
	get := func(path string) (int, string) {
		answer := httptest.NewRecorder()
		handler.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, path, nil))
		return answer.Code, answer.Body.String()
	}
	_, page := get("/?theme=dark&dir=rtl&lang=ar&sample=pending&width=480")
	for _, s := range Samples() {
		if !strings.Contains(page, "sample="+s.Name+"&amp;width=480") {
			t.Errorf("no link to %s at this width", s.Name)
		}
	}
	frame := regexp.MustCompile(`<iframe src="([^"]+)" width="480"`).FindStringSubmatch(page)
	if frame == nil {
		t.Fatal("the page shows no screen")
	}
	status, screen := get(strings.ReplaceAll(frame[1], "&amp;", "&"))
	if status != http.StatusOK || !strings.Contains(screen, `lang="ar" dir="rtl" class="theme-dark"`) || !strings.Contains(screen, `data-sample="pending"`) {
		t.Errorf("%s: status %d", frame[1], status)
	}
	if status, _ := get("/?sample=nothing"); status != http.StatusNotFound {
		t.Errorf("an unknown screen: status %d; want 404", status)
	}
}
