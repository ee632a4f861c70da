# Prints an order token: ruby mint.rb 25.00 1001
require "json"
require "openssl"

key = ENV.fetch("COINSLOT_ORDER_KEY", "")
abort "usage: COINSLOT_ORDER_KEY=... ruby mint.rb AMOUNT REF" if key.bytesize < 32 || ARGV.size != 2

encode = ->(raw) { [raw].pack("m0").tr("+/", "-_").delete("=") }
claims = {
  amount_usd: ARGV[0], # text, never a number
  order_ref: ARGV[1],
  exp: Time.now.to_i + 3600
}
signed = [{ alg: "HS256", typ: "JWT" }, claims].map { |part| encode.(JSON.generate(part)) }.join(".")
puts "#{signed}.#{encode.(OpenSSL::HMAC.digest("SHA256", key, signed))}"
