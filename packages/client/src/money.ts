export { chargeStepOf, decimalsOf, isWholeCurrency, PROCESSOR_CURRENCIES } from '@billing/contracts/currency-decimals';
export { formatExactMoney, formatMoney } from '@billing/contracts/money-format';
