import { createCheckout } from '@coinslot/checkout';

const element = await createCheckout({
  url: 'http://localhost:8080',
  createSession: async () => new URLSearchParams(location.search).get('session') ?? '',
  mode: 'inline',
  target: document.querySelector('main') ?? undefined,
  onComplete: ({ detail }) => {
    /** @type {HTMLElement} */ (document.querySelector('[role="status"]')).textContent = `${detail.session} ${element.status}`;
  },
});
