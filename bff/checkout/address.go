package checkout

import "fmt"

// CheckAddress returns nil if address is well formed for the network and its
// checksum, where the network's addresses have one, is right; see
// [token.Registry.CheckAddress]. It knows the built-in networks only.
func CheckAddress(networkCode, address string) error {
	if err := builtin.CheckAddress(networkCode, address); err != nil {
		return fmt.Errorf("network %.64q: %w", networkCode, err)
	}
	return nil
}
