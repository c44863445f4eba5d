/** Why an item of a document is in conflict, and what to do about it, by the reason of its finding. */
const TEXTS: Readonly<Record<string, string>> = {
  twin: 'The same is here without a key: adopt it, or rename it.',
  feature_type: 'The type, the values and the merge of a feature never change: give it another key.',
  coupon_terms: 'The terms of a coupon never change: give it another key.',
  promotion_code_terms: 'The terms of a promotion code never change: use another code.',
  other_coupon: 'Another coupon has this code: with prune it moves, and the old one is switched off.',
  other_product: 'Another product has the price of this key.',
  product_conflict: 'Its product is in conflict.',
};

/** Returns why a finding is in conflict or was refused, as a sentence. */
export const catalogConflictText = (reason: string): string => TEXTS[reason] ?? reason;
