/** A whole address where tax can be computed, as billing details have it. */
export const BERLIN = {
  line1: 'Invalidenstr. 1',
  line2: null,
  city: 'Berlin',
  state: null,
  postalCode: '10115',
  country: 'DE',
};
