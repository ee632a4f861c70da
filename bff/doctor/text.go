package doctor

import (
	"fmt"
	"strings"
)

// Text is the report for a terminal.
func (r Report) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Checkout at %s", r.Server)
	if r.Version != "" {
		fmt.Fprintf(&b, ", checkout.js %s", r.Version)
	}
	fmt.Fprintf(&b, ", %s\n", r.Time)
	if r.Code != nil {
		fmt.Fprintf(&b, "\n%s: %s\n  %s\n", r.Code.Code, r.Code.Cause, r.Code.Cure)
		if r.Code.Line != "" {
			fmt.Fprintf(&b, "\n    %s\n", r.Code.Line)
		}
	}
	waiting := 0
	for _, c := range r.Checks {
		if c.By == Browser {
			waiting++
			continue
		}
		c.write(&b)
	}
	fmt.Fprintf(&b, "\n%d more checks need a browser: open this address in one.\n", waiting)
	fmt.Fprintf(
		&b,
		"Judge a page by its headers:\n\n    curl -sI YOUR-PAGE | curl --data-urlencode "+
			"headers@- '%s/checkout/doctor?origin=%s'\n",
		r.Server, orExample(r.Origin),
	)
	return b.String()
}

func orExample(origin string) string {
	if origin == "" {
		return "https://shop.example"
	}
	return origin
}

func (c Check) write(b *strings.Builder) {
	fmt.Fprintf(b, "\n%-8s%s\n        %s\n", c.Status, c.Title, c.Detail)
	if c.Status == OK && c.ID != "tag" || len(c.Add) == 0 {
		return
	}
	b.WriteByte('\n')
	for _, line := range c.Add {
		fmt.Fprintf(b, "            %s\n", line)
	}
}
