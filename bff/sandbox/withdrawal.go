package sandbox

import "time"

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

func capitalized(word string) string {
	if word == "" || word[0] < 'a' || word[0] > 'z' {
		return word
	}
	return string(word[0]-'a'+'A') + word[1:]
}
