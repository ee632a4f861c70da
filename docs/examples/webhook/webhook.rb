require "json"
require "openssl"

# Returns the event if body was signed with secret ("whsec_…") within five minutes of now, and raises ArgumentError
# otherwise. headers is a Hash; names have no case, values may be lists of one.
def verify(secret, headers, body, now = Time.now.to_i)
  lower = headers.to_h.transform_keys { |name| name.to_s.downcase }
  header = ->(name) { values = Array(lower[name]); values.one? ? values.first.to_s : "" }
  id, stamp = header.("webhook-id"), header.("webhook-timestamp")
  if id.empty? || !stamp.match?(/\A[0-9]{1,12}\z/) || (now - stamp.to_i).abs > 300
    raise ArgumentError, "webhook: missing headers or old timestamp"
  end
  key = secret.delete_prefix("whsec_").unpack1("m0")
  raise ArgumentError, "webhook: the secret is too short" if key.bytesize < 24
  want = "v1," + [OpenSSL::HMAC.digest("SHA256", key, "#{id}.#{stamp}.".b + body.b)].pack("m0")
  ours = header.("webhook-signature").split(" ").map do |got| # several while the secret is changed
    got.bytesize == want.bytesize && OpenSSL.fixed_length_secure_compare(got, want)
  end
  raise ArgumentError, "webhook: signature does not match" unless ours.any?
  JSON.parse(body)
end
