package sandbox

import (
	"fmt"
	"time"

	"github.com/shopspring/decimal"
)

// withdrawal is money on its way from the gateway to the merchant, as the API lists it.
type withdrawal struct {
	TrackingCode       string `json:"tracking_code"`
	CurrencyName       string `json:"currency_name"`
	NetworkName        string `json:"network_name"`
	DestinationAddress string `json:"destination_address"`
	AmountUSD          string `json:"amount_usd"` // with two decimals
	Status             string `json:"status"`     // capitalised; the list's filter is not
	TxID               string `json:"tx_id"`
	TxExplorerURL      string `json:"tx_explorer_url"`
	CreatedAt          int64  `json:"created_at"`
}

func (s *Server) sampleWithdrawals() []withdrawal {
	now := s.now()
	sample := func(status, amount string, age time.Duration) withdrawal {
		return withdrawal{
			TrackingCode:       newCode(s.random),
			CurrencyName:       "Tether",
			NetworkName:        "TRON (TRC20)",
			DestinationAddress: newAddress(TRON, s.random),
			AmountUSD:          amount,
			Status:             status,
			CreatedAt:          unix(now.Add(-age)),
		}
	}
	paid := sample("Confirmed", "$1250.00", 72*time.Hour)
	paid.TxID = newTransactionID(TRON, s.random)
	paid.TxExplorerURL = "https://tronscan.org/#/transaction/" + paid.TxID
	return []withdrawal{
		paid,
		sample("Processing", "$480.25", 26*time.Hour),
		sample("Pending", "$96.40", 2*time.Hour),
	}
}

// Withdraw pays out a confirmed withdrawal now, and returns its tracking code: usd dollars in a coin of
// the merchant. Whether that much was received is not checked. Errors: the coin is not enabled.
func (s *Server) Withdraw(symbol, networkCode string, usd decimal.Decimal) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	coin := findCurrency(s.currencies, symbol)
	if coin == nil || coin.network(networkCode) == nil {
		return "", fmt.Errorf("withdrawing %s on %s: the coin is not enabled", symbol, networkCode)
	}

	network := coin.network(networkCode)
	w := withdrawal{
		TrackingCode:       newCode(s.random),
		CurrencyName:       coin.Name,
		NetworkName:        network.Name,
		DestinationAddress: newAddress(network.Family, s.random),
		AmountUSD:          "$" + usd.StringFixed(2),
		Status:             "Confirmed",
		TxID:               newTransactionID(network.Family, s.random),
		CreatedAt:          unix(s.now()),
	}
	w.TxExplorerURL = network.ExplorerURL + w.TxID
	s.withdrawals = append(s.withdrawals, w)
	return w.TrackingCode, nil
}

func capitalized(word string) string {
	if word == "" || word[0] < 'a' || word[0] > 'z' {
		return word
	}
	return string(word[0]-'a'+'A') + word[1:]
}
