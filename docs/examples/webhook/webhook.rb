require "json"
require "openssl"

# Returns the event if body was signed with secret ("whsec_…") within five minutes of now, and raises ArgumentError
# otherwise. headers is a Hash with names in lower case.
def verify(secret, headers, body, now = Time.now.to_i)
  id, stamp = headers["webhook-id"].to_s, headers["webhook-timestamp"].to_s
  if id.empty? || !stamp.match?(/\A[0-9]{1,12}\z/) || (now - stamp.to_i).abs > 300
    raise ArgumentError, "webhook: missing headers or old timestamp"
  end
  key = secret.delete_prefix("whsec_").unpack1("m0")
  raise ArgumentError, "webhook: the secret is too short" if key.bytesize < 24
  want = "v1," + [OpenSSL::HMAC.digest("SHA256", key, "#{id}.#{stamp}.".b + body.b)].pack("m0")
  ours = headers["webhook-signature"].to_s.split(" ").map do |got| # several while the secret is changed
    got.bytesize == want.bytesize && OpenSSL.fixed_length_secure_compare(got, want)
  end
  raise ArgumentError, "webhook: signature does not match" unless ours.any?
  JSON.parse(body)
end
