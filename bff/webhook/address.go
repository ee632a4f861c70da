package webhook

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"syscall"
)

// errPrivate is the refusal of an address; it never holds the address, since
// it ends up in the note of a delivery.
var errPrivate = errors.New("address is not public")

// guard decides which addresses a webhook may reach. It is asked at the moment of connecting, once
// per address and after DNS, so that no change of a name between check and use gets around it.
type guard []netip.Prefix // refused

// globalIPv6 has all public IPv6 addresses.
var globalIPv6 = netip.MustParsePrefix("2000::/3")

// newGuard returns the guard of the public internet. Source: IANA's IPv4 and
// IPv6 special-purpose address registries, entries that are not globally
// reachable, and the translation prefixes that can stand for such an entry.
func newGuard() (g guard) {
	for _, text := range []string{
		"0.0.0.0/8",       // this host
		"10.0.0.0/8",      // private
		"100.64.0.0/10",   // shared, carrier-grade NAT
		"127.0.0.0/8",     // loopback
		"169.254.0.0/16",  // link-local, cloud metadata
		"172.16.0.0/12",   // private
		"192.0.0.0/24",    // protocol assignments
		"192.0.2.0/24",    // documentation
		"192.31.196.0/24", // AS112
		"192.52.193.0/24", // AMT
		"192.88.99.0/24",  // 6to4 relays
		"192.168.0.0/16",  // private
		"192.175.48.0/24", // AS112
		"198.18.0.0/15",   // benchmarking
		"198.51.100.0/24", // documentation
		"203.0.113.0/24",  // documentation
		"224.0.0.0/4",     // multicast
		"240.0.0.0/4",     // reserved, broadcast

		// Within 2000::/3. What lies outside is refused as a whole: ::, ::1,
		// v4-compatible, NAT64 64:ff9b::/96 and 64:ff9b:1::/48, 100::/64, 5f00::/16,
		// fc00::/7, fe80::/10, fec0::/10, ff00::/8.
		"2001::/23",         // protocol assignments: Teredo, benchmarking, ORCHID
		"2001:db8::/32",     // documentation
		"2002::/16",         // 6to4
		"2620:4f:8000::/48", // AS112
		"3ffe::/16",         // 6bone, given back
		"3fff::/20",         // documentation
	} {
		g = append(g, netip.MustParsePrefix(text))
	}

	return g
}

// public reports whether a may be connected to. An IPv4 address inside of an
// IPv6 one is judged as the former; an address with a zone never is public.
func (g guard) public(a netip.Addr) bool {
	if !a.IsValid() || a.Zone() != "" {
		return false
	}
	a = a.Unmap()
	if a.Is6() && !globalIPv6.Contains(a) {
		return false
	}
	return !slices.ContainsFunc(g, func(p netip.Prefix) bool { return p.Contains(a) })
}

// Public reports whether webhooks may connect to a where private addresses are not allowed.
func Public(a netip.Addr) bool { return newGuard().public(a) }

// control is a net.Dialer's Control: it runs after DNS and before connect.
func (g guard) control(_, address string, _ syscall.RawConn) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return fmt.Errorf("reading the address to connect to: %w", errPrivate)
	}
	if !g.public(at.Addr()) {
		return errPrivate
	}
	return nil
}
