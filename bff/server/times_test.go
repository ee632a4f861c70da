package server_test

import (
	"fmt"
	"regexp"
	"testing"
	"time"

	"coinslot/bff/fortest"
	"coinslot/bff/sandbox"
	"coinslot/bff/server/servertest"
)

var (
	anyTime  = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:[^"]*`)
	oneTime  = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$`)
	somewhen = regexp.MustCompile(`"(at|timestamp|last|[a-z]+_at)":"`)
)

// Every time of the API, webhooks and the view has one form.
func TestTimesHaveOneForm(t *testing.T) {
	t.Parallel()
	w := newPolicyRig(t, ownOrigin, []string{shop}, servertest.NoLimits)
	id := w.Open(`{"amount_usd":"25.00"}`)
	w.Choose(id)
	w.Await(id, "pending")
	fortest.OK(t, w.Gateway.Pay(w.code(id), sandbox.KindPay))
	w.Await(id, "confirmed")
	span := fmt.Sprintf(`{"from":%q,"to":%q}`, time.Now().Add(-time.Hour).Format(time.RFC3339Nano),
		time.Now().Add(time.Hour).Format(time.RFC3339))
	for name, body := range map[string]string{
		"session":      w.Do("GET", "/v1/sessions/"+id, "", bearer).Body.String(),
		"sessions":     w.Do("GET", "/v1/sessions", "", bearer).Body.String(),
		"events":       w.Do("GET", "/v1/events", "", bearer).Body.String(),
		"replay":       w.Do("POST", "/v1/events/replay", span, bearer, isJSON).Body.String(),
		"transactions": w.Do("GET", "/v1/transactions", "", bearer).Body.String(),
		"view":         w.Do("GET", "/checkout/"+id+"/view", "").Body.String(),
	} {
		found := anyTime.FindAllString(body, -1)
		if len(found) == 0 || !somewhen.MatchString(body) {
			t.Errorf("%s has no time: %s", name, body)
		}
		for _, at := range found {
			if !oneTime.MatchString(at) {
				t.Errorf("%s: %q", name, at)
			}
		}
	}
}
