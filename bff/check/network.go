package check

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/url"
	"time"
)

// minCertificateTime is how long a certificate should remain valid.
const minCertificateTime = 14 * 24 * time.Hour

func (ch *checker) tls(name string) *tls.Config {
	return &tls.Config{
		ServerName: name,
		RootCAs:    ch.Roots,
		MinVersion: tls.VersionTLS12,
		Time:       ch.Now,
	}
}

// dial connects to host:port, resolved as the Config says.
func (ch *checker) dial(ctx context.Context, network, address string) (conn net.Conn, err error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("reading an address: %w", err)
	}

	addrs, err := ch.Resolve(ctx, host)
	if err != nil {
		return nil, fmt.Errorf("resolving %s: %w", host, err)
	}

	err = fmt.Errorf("resolving %s: no address", host)
	for _, a := range addrs {
		at := net.JoinHostPort(a.Unmap().String(), port)
		conn, err = ch.Dial(ctx, network, at)
		if err == nil {
			return conn, nil
		}
	}

	return nil, err
}

// certificate warns about a valid one that expires soon.
func (ch *checker) certificate(id, host string, state *tls.ConnectionState) findings {
	if state == nil || len(state.PeerCertificates) == 0 {
		return nil
	}
	left := state.PeerCertificates[0].NotAfter.Sub(ch.Now())
	if left > minCertificateTime {
		return nil
	}
	return warn(id, fmt.Sprintf("the certificate of %s expires in %d days", host,
		int(left.Hours()/24)), "renew it, and find out why that did not happen automatically")
}

// unreachable explains a failed connection to what, on host.
func unreachable(id, what, host string, err error) findings {
	if failed, is := errors.AsType[*url.Error](err); is {
		err = failed.Err // the URL is known
	}

	invalid, isInvalid := errors.AsType[x509.CertificateInvalidError](err)
	_, isHost := errors.AsType[x509.HostnameError](err)
	_, isUnknown := errors.AsType[x509.UnknownAuthorityError](err)
	dns, isDNS := errors.AsType[*net.DNSError](err)
	switch {
	case isInvalid && invalid.Reason == x509.Expired:
		return fail(id, what+": its certificate has expired, or this clock is wrong",
			"renew the certificate of "+host)
	case isHost:
		return fail(id, what+": its certificate is for another name", "get one for "+host)
	case isUnknown:
		return fail(id, what+": its certificate is from an unknown authority",
			"send the whole chain, or get a certificate from a public authority")
	case errors.Is(err, context.DeadlineExceeded):
		return fail(id, what+": no answer in time", "is it overloaded, or blocked by a firewall?")
	case isDNS && dns.IsNotFound:
		return fail(id, what+": the DNS has no name "+host, "add it, or correct the spelling")
	}

	return fail(id, what+": "+oneLine(err), "is it running, and may this machine connect to it?")
}
