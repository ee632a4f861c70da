package webhook

import (
	"context"
	"errors"
	"net"
	"net/http"
	"strings"

	"coinslot/bff/outbox"
)

// failures are the reasons for which a message is not taken, in the words of
// docs/errors.md.
var failures = []outbox.Failure{
	{Code: "address_private",
		Meaning: "The name leads to an address that is not public. Nothing is sent there.",
		Fix: "Give your server a public name, or set COINSLOT_ALLOW_PRIVATE_WEBHOOKS to true " +
			"if it is beside the checkout."},
	{Code: "name_unknown", Meaning: "The DNS has no such name.",
		Fix: "Correct the host in COINSLOT_WEBHOOK_URL, or add it to the DNS."},
	{Code: "not_connected", Meaning: "No connection could be made.",
		Fix: "Start your server, let the checkout through its firewall, and compare host and " +
			"port with COINSLOT_WEBHOOK_URL."},
	{Code: "https_failed",
		Meaning: "A connection was made, but no secure one: the certificate is not trusted here, " +
			"or the other side does not speak TLS 1.2 or newer.",
		Fix: "Renew the certificate, let your server send its whole chain, and see that it is " +
			"for the host in COINSLOT_WEBHOOK_URL."},
	{Code: "no_answer_in_time", Meaning: "Your server did not answer within 20 seconds.",
		Fix: "Store the event, answer 2xx at once, and do the work afterwards."},
	{Code: "answer_unreadable",
		Meaning: "The connection was closed without an answer, or what came is not one of a web " +
			"server.",
		Fix: "See that the port in COINSLOT_WEBHOOK_URL is a web server's, and that the proxy " +
			"before it passes the request on."},
	{Code: "redirected", Meaning: "Your server leads elsewhere, and redirects are not followed.",
		Fix: "Write the address that it leads to into COINSLOT_WEBHOOK_URL: often the one with " +
			"https, with or without www, or without the slash at the end."},
	{Code: "signature_refused",
		Meaning: "Your server refuses the message: it does not believe the signature, or " +
			"something " +
			"before it wants a login.",
		Fix: "Give it the secret of COINSLOT_WEBHOOK_SECRET, let it check the body byte for byte " +
			"as it came, set its clock, and let no login or firewall stand before this path."},
	{Code: "path_unknown",
		Meaning: "Your server has nothing at this address, or takes no POST there.",
		Fix:     "Correct the path in COINSLOT_WEBHOOK_URL."},
	{Code: "endpoint_gone",
		Meaning: "Your server says that this address is gone. To a message of a payment that " +
			"means: send nothing more until the next start.",
		Fix: "Correct the path in COINSLOT_WEBHOOK_URL, or let your server answer something else."},
	{Code: "server_failed", Meaning: "Your server failed, or the proxy before it.",
		Fix: "Look into its log for this moment."},
	{Code: "message_refused", Meaning: "Your server does not take the message.",
		Fix: "Let it answer 2xx to types that it does not know: checkout.test is one. If it " +
			"checks signatures, compare its secret with COINSLOT_WEBHOOK_SECRET."},
}

// failure is why a was not a yes; the zero Fault if it was.
func (a answer) failure() outbox.Failure {
	if a.delivered() {
		return outbox.Failure{}
	}
	code := statusFailure(a.status)
	if a.err != nil {
		code = errorFailure(a.err)
	}
	for _, f := range failures {
		if f.Code == code {
			return f
		}
	}
	panic("webhook: no words for " + code)
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
	switch dns, isDNS := errors.AsType[*net.DNSError](err); {
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

// isTLSError reports whether an error is of TLS; most of these have no type that
// could be asked for.
func isTLSError(text string) bool {
	for _, part := range []string{
		"tls: ", "x509: ", "TLS handshake", "HTTP response to HTTPS client",
	} {
		if strings.Contains(text, part) {
			return true
		}
	}
	return false
}
