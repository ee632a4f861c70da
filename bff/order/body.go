package order

import (
	"bytes"
	"errors"
	"strings"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/payment"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// body is the JSON of POST /v1/sessions; order tokens have additional claims. Source: the
// public contract, section 3.
type body struct {
	AmountUSD        *string            `json:"amount_usd"`
	Amount           *string            `json:"amount"`
	Currency         *string            `json:"currency"`
	OrderRef         string             `json:"order_ref"`
	OrderID          *int               `json:"order_id"`
	ShopName         string             `json:"shop_name"`
	Title            string             `json:"title"`
	Description      string             `json:"description"`
	Email            string             `json:"email"`
	Metadata         map[string]*string `json:"metadata"`
	Currencies       []string           `json:"currencies"`
	TTLMinutes       *int               `json:"ttl_minutes"`
	ExpiresInMinutes *int               `json:"expires_in_minutes"`
	SuccessURL       string             `json:"success_url"`
	CancelURL        string             `json:"cancel_url"`
	Lang             string             `json:"lang"`
}

// Decode parses the body of POST /v1/sessions: one JSON object without unknown, repeated or
// misspelled members.
//
// Errors: *wire.Error with CodeBadJSON, CodeUnknownField, CodeDuplicateField,
// CodeAmountRequired, CodeAmountType, CodeAmountInvalid, CodeInvalid; Param names the member.
func Decode(raw []byte) (payment.Order, error) {
	var b body
	if err := strictWithAmount(raw, &b); err != nil {
		return payment.Order{}, err
	}
	return b.order()
}

// strictWithAmount is Strict for an object whose "amount" is text: another type is CodeAmountType.
func strictWithAmount(raw []byte, v any) error {
	err := Strict(raw, v)
	refused, ok := errors.AsType[*wire.Error](err)
	if ok && refused.Code == wire.CodeInvalid && refused.Param == "amount" {
		refused.Code = wire.CodeAmountType
		refused.Detail = string(refused.Code)
	}
	return err
}

func (b body) order() (payment.Order, error) {
	price, err := readPrice(b.AmountUSD, b.Amount, b.Currency)
	if err != nil {
		return payment.Order{}, err
	}

	o := payment.Order{
		AmountUSD:   price.dollars,
		Amount:      price.amount,
		Currency:    price.currency,
		Ref:         b.OrderRef,
		ShopName:    b.ShopName,
		Title:       b.Title,
		Description: b.Description,
		Email:       b.Email,
		Currencies:  b.Currencies,
		SuccessURL:  b.SuccessURL,
		CancelURL:   b.CancelURL,
		Lang:        Language(b.Lang),
	}
	if address, ok := payment.Email(b.Email); ok {
		o.Email = address
	}
	if o.Metadata, err = readMetadata(b.Metadata); err != nil {
		return o, err
	}
	if o.OrderID, err = positive(b.OrderID, "order_id"); err != nil {
		return o, err
	}
	if o.TTLMinutes, err = positive(b.TTLMinutes, "ttl_minutes"); err != nil {
		return o, err
	}
	expires, err := positive(b.ExpiresInMinutes, "expires_in_minutes")
	if err != nil {
		return o, err
	}
	o.ExpiresIn = time.Duration(expires) * time.Minute
	return o, o.Validate()
}

// positive parses an optional number from 1 to a million, small enough for minutes to be a
// time.Duration.
func positive(n *int, param string) (int, error) {
	if n == nil {
		return 0, nil
	}
	if *n < 1 || *n > 1_000_000 {
		return 0, payment.NewError(wire.CodeInvalid, param)
	}
	return *n, nil
}

// readMetadata parses metadata. A null member is absent; a pair without a value is an error.
func readMetadata(sent map[string]*string) (map[string]string, error) {
	if sent == nil {
		return nil, nil
	}
	list := make(map[string]string, len(sent))
	for key, value := range sent {
		if value == nil {
			return nil, payment.NewError(wire.CodeInvalid, "metadata")
		}
		list[key] = *value
	}
	return list, nil
}

// Strict decodes one JSON object into v: names must match exactly; unknown and repeated ones,
// invalid UTF-8 and trailing text are errors. The *wire.Error says which, without quoting the text.
func Strict(raw []byte, v any) error {
	if bytes.HasPrefix(raw, []byte("\ufeff")) {
		return &wire.Error{Code: wire.CodeBadJSON, Detail: withMark}
	}
	if kind := jsontext.Value(raw).Kind(); kind != '{' {
		return payment.NewError(wire.CodeBadJSON, "")
	}
	err := json.Unmarshal(raw, v, json.RejectUnknownMembers(true))
	var semantic *json.SemanticError
	var syntactic *jsontext.SyntacticError
	switch {
	case err == nil:
		return nil
	case errors.Is(err, json.ErrUnknownName):
		errors.As(err, &semantic)
		return payment.NewError(wire.CodeUnknownField, member(semantic.JSONPointer))
	case errors.Is(err, jsontext.ErrDuplicateName):
		errors.As(err, &syntactic)
		return payment.NewError(wire.CodeDuplicateField, member(syntactic.JSONPointer))
	case errors.As(err, &semantic):
		param := member(semantic.JSONPointer)
		if param == "amount_usd" {
			return payment.NewError(wire.CodeAmountType, param)
		}
		return payment.NewError(wire.CodeInvalid, param)
	}
	return payment.NewError(wire.CodeBadJSON, "")
}

const withMark = "The JSON begins with a byte order mark (EF BB BF): send it without."

// member returns the outermost member of a JSON pointer, shortened.
func member(p jsontext.Pointer) string {
	name, _, _ := strings.Cut(strings.TrimPrefix(string(p), "/"), "/")
	return ShortenName(name)
}

// ShortenName cuts a name sent by a client to what is safe to repeat.
func ShortenName(name string) string {
	if len(name) > 64 {
		name = name[:64]
	}
	return strings.ToValidUTF8(name, "?")
}
