/**
 * Schemes of links that open a wallet. Wallets refuse frames, so the frame asks the host page to
 * open such a link, and the host page opens no other.
 */
export const WALLET_SCHEMES = [
  'bitcoin:', 'dogecoin:', 'ethereum:', 'litecoin:', 'solana:', 'ton:',
];
