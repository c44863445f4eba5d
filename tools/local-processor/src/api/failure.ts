/** The `error` object of Stripe's failures: https://docs.stripe.com/api/errors. */
export interface FailureBody {
  type: 'invalid_request_error' | 'idempotency_error' | 'card_error' | 'api_error' | 'rate_limit_error';
  message: string;
  code?: string;
  param?: string;
  decline_code?: string;
  charge?: string;
  payment_intent?: object;
  payment_method?: object;
}

/** A request that is answered with a failure of Stripe's shape. */
export class Failure extends Error {
  override readonly name = 'Failure';
  readonly status: number;
  readonly body: FailureBody;
  /** True if the endpoint had begun its work: only then is the answer kept under the idempotency key. */
  readonly begun: boolean;

  constructor(status: number, body: FailureBody, begun = true) {
    super(body.message);
    this.status = status;
    this.body = body;
    this.begun = begun;
  }
}

/** 400: the request says something that cannot be done. */
export function invalidRequest(message: string, detail: { code?: string; param?: string } = {}): Failure {
  return new Failure(400, { type: 'invalid_request_error', message, ...detail });
}

/** 404: no such object in this account. `param` names where the id stood; for an id in the path it is `id`. */
export function noSuch(kind: string, id: string, param = 'id'): Failure {
  const message = `No such ${kind}: '${id}'`;
  // An unknown id in the path is 404, one in a parameter is a bad request.
  return new Failure(param === 'id' ? 404 : 400, {
    type: 'invalid_request_error',
    code: 'resource_missing',
    param,
    message,
  });
}

/** 404: no such address. */
export function unknownAddress(method: string, path: string): Failure {
  const message = `Unrecognized request URL (${method}: ${path}). The local processor does not serve it.`;
  return new Failure(404, { type: 'invalid_request_error', message }, false);
}

/** 402: the card was declined. */
export function cardDeclined(charge: string, paymentIntent: object, paymentMethod: object): Failure {
  return new Failure(402, {
    type: 'card_error',
    code: 'card_declined',
    decline_code: 'generic_decline',
    message: 'Your card was declined.',
    charge,
    payment_intent: paymentIntent,
    payment_method: paymentMethod,
  });
}
