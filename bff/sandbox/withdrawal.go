package sandbox

import (
	"time"

	"github.com/shopspring/decimal"
)

// Withdrawal is money on its way from the gateway to the merchant. The API only lists withdrawals.
type Withdrawal struct {
	TrackingCode       string
	CurrencyName       string
	NetworkName        string
	DestinationAddress string
	AmountUSD          decimal.Decimal // shown with two decimals
	Status             WithdrawalStatus
	TxID               string // empty = none
	TxExplorerURL      string // empty = none
	CreatedAt          time.Time
}

// WithdrawalStatus is the state of a withdrawal as the list's filter names it;
// in answers it is capitalised.
type WithdrawalStatus string

// The states of a withdrawal.
const (
	WithdrawalPending    WithdrawalStatus = "pending"
	WithdrawalProcessing WithdrawalStatus = "processing"
	WithdrawalConfirmed  WithdrawalStatus = "confirmed"
)

func (s *Server) sampleWithdrawals() []Withdrawal {
	now := s.now()
	sample := func(status WithdrawalStatus, amount string, age time.Duration) Withdrawal {
		return Withdrawal{
			TrackingCode: newCode(s.random), CurrencyName: "Tether", NetworkName: "TRON (TRC20)",
			DestinationAddress: newAddress(TRON, s.random), AmountUSD: dec(amount), Status: status,
			CreatedAt: now.Add(-age),
		}
	}
	paid := sample(WithdrawalConfirmed, "1250", 72*time.Hour)
	paid.TxID = newTransactionID(TRON, s.random)
	paid.TxExplorerURL = "https://tronscan.org/#/transaction/" + paid.TxID
	return []Withdrawal{
		paid,
		sample(WithdrawalProcessing, "480.25", 26*time.Hour),
		sample(WithdrawalPending, "96.4", 2*time.Hour),
	}
}

type withdrawalRecord struct {
	TrackingCode       string `json:"tracking_code"`
	CurrencyName       string `json:"currency_name"`
	NetworkName        string `json:"network_name"`
	DestinationAddress string `json:"destination_address"`
	AmountUSD          string `json:"amount_usd"`
	Status             string `json:"status"`
	TxID               string `json:"tx_id"`
	TxExplorerURL      string `json:"tx_explorer_url"`
	CreatedAt          int64  `json:"created_at"`
}

func (w Withdrawal) record() withdrawalRecord {
	return withdrawalRecord{
		TrackingCode: w.TrackingCode, CurrencyName: w.CurrencyName, NetworkName: w.NetworkName,
		DestinationAddress: w.DestinationAddress, AmountUSD: "$" + w.AmountUSD.StringFixed(2),
		Status: capitalized(string(w.Status)),
		TxID:   w.TxID, TxExplorerURL: w.TxExplorerURL, CreatedAt: unix(w.CreatedAt),
	}
}

func capitalized(word string) string {
	if word == "" || word[0] < 'a' || word[0] > 'z' {
		return word
	}
	return string(word[0]-'a'+'A') + word[1:]
}
