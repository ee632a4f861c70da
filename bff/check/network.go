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

	"coinslot/bff/diagnose"
)

// minCertificateTime is how long a certificate should be good for.
const minCertificateTime = 14 * 24 * time.Hour

func (x *checker) tls(name string) *tls.Config {
	return &tls.Config{
		ServerName: name, RootCAs: x.Roots, MinVersion: tls.VersionTLS12, Time: x.Now,
	}
}

// dial connects to host:port by the resolver of the Config.
func (x *checker) dial(ctx context.Context, network, address string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("reading an address: %w", err)
	}
	addrs, err := x.Resolve(ctx, host)
	if err != nil {
		return nil, fmt.Errorf("resolving %s: %w", host, err)
	}
	err = fmt.Errorf("resolving %s: it has no address", host)
	for _, a := range addrs {
		var conn net.Conn
		if conn, err = x.Dial(ctx, network, net.JoinHostPort(a.Unmap().String(), port)); err ==
			nil {
			return conn, nil
		}
	}
	return nil, err
}

// certificate is about one that was accepted; nil = it lasts.
func (x *checker) certificate(id, host string, state *tls.ConnectionState) *diagnose.Finding {
	if state == nil || len(state.PeerCertificates) == 0 {
		return nil
	}
	left := state.PeerCertificates[0].NotAfter.Sub(x.Now())
	if left > minCertificateTime {
		return nil
	}
	f := warn(id, fmt.Sprintf("the certificate of %s ends in %d days", host, int(left.Hours()/24)),
		"renew it, and find out why that did not happen by itself")
	return &f
}

// unreachable is a failed connection in words.
func unreachable(id, what, where string, err error) diagnose.Finding {
	if asked, is := errors.AsType[*url.Error](err); is {
		err = asked.Err // what was asked is known
	}
	invalid, isInvalid := errors.AsType[x509.CertificateInvalidError](err)
	_, isHost := errors.AsType[x509.HostnameError](err)
	_, isUnknown := errors.AsType[x509.UnknownAuthorityError](err)
	dns, isDNS := errors.AsType[*net.DNSError](err)
	switch {
	case isInvalid && invalid.Reason == x509.Expired:
		return fail(id, what+": its certificate has expired, or this clock is wrong",
			"renew the certificate of "+where)
	case isHost:
		return fail(id, what+": its certificate is for another name", "get one for "+where)
	case isUnknown:
		return fail(id, what+": its certificate is not of an authority that is known here",
			"send the whole chain, or get a certificate of a public authority")
	case isDNS && dns.IsNotFound:
		return fail(id, what+": there is no name "+where, "add it to the DNS, or mend the spelling")
	}
	return fail(id, what+": "+oneLine(err), "is it running, and may this machine connect to it?")
}
