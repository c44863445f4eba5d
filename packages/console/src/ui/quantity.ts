export const MAX_QUANTITY = 999_999;

/** Whether there can be so many of a price. */
export const isQuantity = (quantity: number): boolean =>
  Number.isInteger(quantity) && quantity >= 1 && quantity <= MAX_QUANTITY;
