/** Stripe.js, as far as it shows embedded checkouts: each is the page of its session, in a frame. */
export const STRIPE_JS = `const origin = new URL(document.currentScript.src).origin;
globalThis.Stripe = publishableKey => {
  if (!/^pk_(test|live)_/.test(publishableKey)) throw new Error('Expected a publishable key.');
  return {
    async createEmbeddedCheckoutPage({ fetchClientSecret }) {
      const frame = document.createElement('iframe');
      frame.title = 'Checkout';
      frame.src = origin + '/c/pay/' + encodeURIComponent(await fetchClientSecret());
      frame.style.cssText = 'width:100%;height:44rem;border:0';
      return {
        mount: place => (typeof place === 'string' ? document.querySelector(place) : place).replaceChildren(frame),
        unmount: () => frame.remove(),
        destroy: () => frame.remove(),
      };
    },
  };
};
`;
