require "json"
require "openssl"

# Returns what a receipt says if it proves that the order is paid, and raises CoinslotReceipt::Invalid otherwise. keys is
# what GET /.well-known/jwks.json of your checkout answers (JSON.parse), issuer its COINSLOT_PUBLIC_URL; order_ref,
# amount (text with all digits of its currency: "25.00") and currency are of your own database.
module CoinslotReceipt
  class Invalid < StandardError; end

  ED25519 = ["302a300506032b6570032100"].pack("H*") # what comes before the key in its DER form (RFC 8410)

  module_function

  def verify(text, keys, issuer:, order_ref:, amount:, currency: "USD", test: false)
    part = text.b.split(".", -1)
    need part.length == 3, "not three parts"
    header = decode(part[0])
    need header["alg"] == "EdDSA" && header["typ"] == "coinslot-receipt+jwt", "another algorithm or type"
    jwk = keys["keys"].find { |k| k["kid"] == header["kid"] && k["kty"] == "OKP" && k["crv"] == "Ed25519" }
    need jwk, "signed with a key that is not known"
    key = OpenSSL::PKey.read(ED25519 + unpack(jwk["x"]))
    need key.verify(nil, unpack(part[2]), "#{part[0]}.#{part[1]}"), "the signature does not match"
    claims = decode(part[1])
    need claims["iss"] == issuer, "of another checkout"
    need claims["status"] == "confirmed", "not confirmed"
    need order_ref.to_s != "" && claims["order_ref"] == order_ref, "of another order"
    need claims["amount"] == amount && claims["currency"] == currency, "of another amount"
    need claims["test"] == false || test, "no real money has moved"
    claims
  end

  def need(so, why)
    raise Invalid, "receipt: #{why}" unless so
  end

  def unpack(part) = part.tr("-_", "+/").unpack1("m")

  def decode(part)
    value = JSON.parse(unpack(part))
    need value.is_a?(Hash), "cannot be read"
    value
  rescue JSON::ParserError
    raise Invalid, "receipt: cannot be read"
  end
end
