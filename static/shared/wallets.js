/**
 * Schemes of links that open a wallet. Wallets do not open from frames, so the frame asks the host
 * page to open them; it opens no others.
 */
export const WALLET_SCHEMES = [
  'bitcoin:', 'dogecoin:', 'ethereum:', 'litecoin:', 'solana:', 'ton:',
];
