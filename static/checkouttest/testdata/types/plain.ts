const el = document.querySelector('coinslot-checkout')!;
el.session = 'cs_1';
el.returnUrl = '/thanks';
el.open = true;
el.prewarm();
el.addEventListener('coinslot-complete', ({ detail }) => { const receipt: string = detail.receipt; receipt.length; });
document.addEventListener('coinslot-error', ({ detail }) => { const code: CoinslotErrorCode = detail.code; code.length; });
el.ready.then(({ status }) => { const known: CoinslotStatus = status; known.length; });
const opened = Coinslot.open({ createSession: async () => 'cs_2', returnUrl: '/thanks', theme: 'dark', quantity: 2 });
opened.result.then(({ receipt }) => receipt.length);
window.Coinslot.version.length;
const { tagName } = document.createElement('coinslot-checkout');
tagName.length;

// @ts-expect-error no such mode
el.mode = 'popup';
// @ts-expect-error a price is none of the page's business
Coinslot.open({ item: 'coffee', price: 5 });
// @ts-expect-error the page cannot say that it was paid
el.status = 'confirmed';
// @ts-expect-error no such event detail
el.addEventListener('coinslot-ready', ({ detail }) => detail.receipt);
el.simulate('pay').then(() => {});
// @ts-expect-error no such kind of payment
el.simulate('pays');
