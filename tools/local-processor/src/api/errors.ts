/** The `error` object of Stripe's error responses: https://docs.stripe.com/api/errors. */
export interface ErrorBody {
  type: 'invalid_request_error' | 'idempotency_error' | 'card_error' | 'api_error' | 'rate_limit_error';
  message: string;
  code?: string;
  param?: string;
  decline_code?: string;
  charge?: string;
  payment_intent?: object;
  payment_method?: object;
}

/** An error that is returned to the client in Stripe's shape. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly body: ErrorBody;
  /** True if the endpoint had started to execute: only then is the response saved under the idempotency key. */
  readonly executed: boolean;

  constructor(status: number, body: ErrorBody, executed = true) {
    super(body.message);
    this.status = status;
    this.body = body;
    this.executed = executed;
  }
}

/** 400: the request is invalid, because of a parameter if one is named. */
export function invalidRequest(message: string, param?: string, code?: string): ApiError {
  const type = 'invalid_request_error';
  return new ApiError(400, { type, message, ...(code && { code }), ...(param && { param }) });
}

/** No such object in this account: 404 for an id in the path (`param` is `id`), 400 for an id in a parameter. */
export function noSuch(kind: string, id: string, param = 'id'): ApiError {
  const message = `No such ${kind}: '${id}'`;
  return new ApiError(param === 'id' ? 404 : 400, {
    type: 'invalid_request_error',
    code: 'resource_missing',
    param,
    message,
  });
}

/** 404: no such URL. */
export function unknownUrl(method: string, path: string): ApiError {
  const message = `Unrecognized request URL (${method}: ${path}). The local processor does not serve it.`;
  return new ApiError(404, { type: 'invalid_request_error', message }, false);
}

/** 402: the card was declined. Charge and payment intent are null when nothing remains of the attempt. */
export function cardDeclined(charge: string | null, paymentIntent: object | null, paymentMethod: object): ApiError {
  return new ApiError(402, {
    type: 'card_error',
    code: 'card_declined',
    decline_code: 'generic_decline',
    message: 'Your card was declined.',
    ...(charge === null ? {} : { charge }),
    ...(paymentIntent === null ? {} : { payment_intent: paymentIntent }),
    payment_method: paymentMethod,
  });
}

/** 402: the bank wants the customer to confirm the payment of an invoice or a subscription. */
export function actionRequired(of: 'invoice' | 'subscription', intent: object | null, paymentMethod: object): ApiError {
  return new ApiError(402, {
    type: 'card_error',
    code: `${of}_payment_intent_requires_action`,
    message:
      of === 'invoice'
        ? 'This payment requires additional user action before it can be completed successfully. Payment can be completed using the PaymentIntent associated with the invoice.'
        : 'Payment for this subscription requires additional user action before it can be completed successfully. Payment can be completed using the PaymentIntent associated with `subscription.latest_invoice`.',
    ...(intent === null ? {} : { payment_intent: intent }),
    payment_method: paymentMethod,
  });
}

/** 400: an amount is due, and there is nothing to charge. */
export function noPaymentMethod(): ApiError {
  return invalidRequest(
    'This customer has no attached payment source or default payment method. Please consider adding a default payment method.',
    undefined,
    'resource_missing',
  );
}
