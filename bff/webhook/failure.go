package webhook

import (
	"context"
	"errors"
	"net"
	"net/http"
	"slices"
	"strings"
)

// Failure is why an endpoint has not accepted a message, in the words of docs/errors.md.
type Failure struct {
	Code         string // "signature_refused"
	Meaning, Fix string // what it means, and what to do
}

// failures are the reasons for which a message is not taken, in the words of docs/errors.md.
var failures = []Failure{
	{Code: "address_private",
		Meaning: "The host's address is not public, so Coinslot sends nothing there.",
		Fix: "Give your server a public name. If it is on the checkout's machine or network, " +
			"set COINSLOT_ALLOW_PRIVATE_WEBHOOKS to true."},
	{Code: "name_unknown",
		Meaning: "The DNS does not know the host.",
		Fix:     "Correct the host in COINSLOT_WEBHOOK_URL, or add it to the DNS."},
	{Code: "not_connected",
		Meaning: "Coinslot could not connect.",
		Fix: "Start your server, let the checkout through its firewall, and check the host and " +
			"port in COINSLOT_WEBHOOK_URL."},
	{Code: "https_failed",
		Meaning: "The TLS handshake failed: the certificate is not trusted, or your server does " +
			"not support TLS 1.2 or newer.",
		Fix: "Renew the certificate. Send its whole chain, and make sure that it names the host " +
			"in COINSLOT_WEBHOOK_URL."},
	{Code: "no_answer_in_time",
		Meaning: "Your server did not answer within 20 seconds.",
		Fix:     "Store the event, answer 2xx at once, and do the work afterwards."},
	{Code: "answer_unreadable",
		Meaning: "Your server closed the connection without an answer, or did not answer with " +
			"HTTP.",
		Fix: "Make sure that the port in COINSLOT_WEBHOOK_URL is a web server's, and that its " +
			"proxy forwards the request."},
	{Code: "redirected",
		Meaning: "Your server redirects, and Coinslot does not follow redirects.",
		Fix: "Set COINSLOT_WEBHOOK_URL to the address that it redirects to. Often it differs by " +
			"https, www or a trailing slash."},
	{Code: "signature_refused",
		Meaning: "Your server rejects the signature, or something before it requires a login.",
		Fix: "Give your server the secret of COINSLOT_WEBHOOK_SECRET, verify the raw bytes of " +
			"the body, and check its clock. Let no login or firewall block this path."},
	{Code: "path_unknown",
		Meaning: "Your server has nothing at this address, or does not accept POST there.",
		Fix:     "Correct the path in COINSLOT_WEBHOOK_URL."},
	{Code: "endpoint_gone",
		Meaning: "Your server answers 410 Gone. After a payment's webhook, Coinslot then sends " +
			"nothing more until it restarts.",
		Fix: "Correct the path in COINSLOT_WEBHOOK_URL, or let your server answer with another " +
			"status."},
	{Code: "server_failed",
		Meaning: "Your server, or its proxy, failed.",
		Fix:     "Read its log at the time of the message."},
	{Code: "message_refused",
		Meaning: "Your server rejects the message.",
		Fix: "Answer 2xx to unknown types, such as checkout.test. If your server verifies " +
			"signatures, compare its secret with COINSLOT_WEBHOOK_SECRET."},
}

// failure is why a was not a yes; the zero Failure if it was.
func (a answer) failure() Failure {
	if a.delivered() {
		return Failure{}
	}
	code := statusFailure(a.status)
	if a.err != nil {
		code = errorFailure(a.err)
	}
	i := slices.IndexFunc(failures, func(f Failure) bool { return f.Code == code })
	return failures[i]
}

// statusFailure is the code of an HTTP status that is not a 2xx.
func statusFailure(status int) string {
	switch {
	case status >= 300 && status < 400:
		return "redirected"
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return "signature_refused"
	case status == http.StatusNotFound, status == http.StatusMethodNotAllowed:
		return "path_unknown"
	case status == http.StatusGone:
		return "endpoint_gone"
	case status >= 500:
		return "server_failed"
	}

	return "message_refused"
}

// errorFailure is the code of an error of the client.
func errorFailure(err error) string {
	if errors.Is(err, errPrivate) {
		return "address_private"
	}

	dial, _ := errors.AsType[*net.OpError](err)
	dns, isDNS := errors.AsType[*net.DNSError](err)
	switch {
	case isDNS && dns.IsNotFound:
		return "name_unknown"
	case isDNS, dial != nil && dial.Op == "dial":
		return "not_connected"
	case isTLSError(err.Error()):
		return "https_failed"
	case errors.Is(err, context.DeadlineExceeded):
		return "no_answer_in_time"
	}

	return "answer_unreadable"
}

// isTLSError reports whether an error is of TLS; most of these have no type.
func isTLSError(text string) bool {
	return slices.ContainsFunc([]string{
		"tls: ", "x509: ", "TLS handshake", "HTTP response to HTTPS client",
	}, func(part string) bool { return strings.Contains(text, part) })
}
