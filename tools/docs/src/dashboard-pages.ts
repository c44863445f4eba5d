/** A panel of a dashboard: one question with its queries in PromQL. */
export interface Panel {
  readonly title: string;
  /** What to do about what it shows. */
  readonly description: string;
  readonly kind: 'timeseries' | 'stat';
  /** Grafana's unit, for example `s` or `reqps`. */
  readonly unit: string;
  /** By legend. */
  readonly queries: Readonly<Record<string, string>>;
}

/** A dashboard: one question an operator has. */
export interface Page {
  /** Part of its address and of the file's name. */
  readonly id: string;
  readonly title: string;
  readonly panels: readonly Panel[];
}

const perSecond = (metric: string, by = '') => `sum${by && ` by (${by})`} (rate(${metric}[5m]))`;
const quantile = (q: number, metric: string, by = '') =>
  `histogram_quantile(${q}, sum by (le${by && `, ${by}`}) (rate(${metric}[5m])))`;
const chart = (title: string, unit: string, description: string, queries: Panel['queries']): Panel => ({
  title,
  unit,
  description,
  kind: 'timeseries',
  queries,
});
const number = (title: string, unit: string, description: string, query: string): Panel => ({
  title,
  unit,
  description,
  kind: 'stat',
  queries: { now: query },
});

const APPLIED = 'billing_webhook_applied_age_bucket{recovered="false"}';
const OF_GATEWAY = 'http_server_request_duration_count{job="gateway"}';
const WEBHOOK_ROUTE = 'http_route="/api/webhooks/processor/:teamId"';

/** Is money flowing? From Stripe's webhooks to what the API shows. */
const money: Page = {
  id: 'money',
  title: 'Is money flowing?',
  panels: [
    number(
      'Events applied',
      'eps',
      'Webhook events that every service has applied, a second.',
      perSecond('billing_webhook_events_total{outcome="processed"}'),
    ),
    number(
      'Time until applied',
      's',
      'Half of the events are applied everywhere within this time after Stripe created them.',
      quantile(0.5, APPLIED),
    ),
    number(
      'Failed in the last hour',
      'short',
      'Find them in GET …/webhook-events?status=failed; replay them once the cause is fixed.',
      'sum(increase(billing_webhook_events_total{outcome="failed"}[1h]))',
    ),
    number(
      'Dead letters',
      'short',
      'Events that a consumer gave up: npm run dead-letters -- list.',
      'sum(billing_dead_letters)',
    ),
    chart('Webhook events by outcome', 'eps', 'ignored is normal: types and objects that concern nobody here.', {
      '{{outcome}}': perSecond('billing_webhook_events_total', 'outcome'),
    }),
    chart('From Stripe to applied', 's', 'When it grows, the page "Who lags?" says where events wait.', {
      p50: quantile(0.5, APPLIED),
      p95: quantile(0.95, APPLIED),
      p99: quantile(0.99, APPLIED),
    }),
    chart('Failed events by type', 'short', 'A single type points at one handler, all types at a dependency.', {
      '{{type}}': 'sum by (type) (increase(billing_webhook_events_total{outcome="failed"}[15m]))',
    }),
    chart('Checkouts by status', 'reqps', '5xx and 402 mean that customers can’t pay.', {
      '{{http_response_status_code}}':
        'sum by (http_response_status_code) (rate(http_server_request_duration_count{job="gateway",http_route=~".*/checkout"}[5m]))',
    }),
    chart('Requests by status', 'reqps', 'All of the API, at the gateway.', {
      '{{http_response_status_code}}': perSecond(OF_GATEWAY, 'http_response_status_code'),
    }),
    chart('Response times of the API', 's', 'Without webhooks.', {
      p50: quantile(0.5, 'http_server_request_duration_bucket{job="gateway",http_route!~"/api/webhooks/.*"}'),
      p99: quantile(0.99, 'http_server_request_duration_bucket{job="gateway",http_route!~"/api/webhooks/.*"}'),
    }),
    chart(
      'Calls to Stripe by outcome',
      'reqps',
      'unreachable and failed: see status.stripe.com. rate_limited: one team calls too much.',
      { '{{outcome}}': perSecond('billing_processor_call_duration_count', 'outcome') },
    ),
    chart('Response times of Stripe', 's', 'The slowest routes.', {
      '{{http_request_method}} {{http_route}}': `topk(5, ${quantile(0.95, 'billing_processor_call_duration_bucket', 'http_request_method, http_route')})`,
    }),
    chart('Responses to webhooks', 's', 'Stripe gives up after some seconds and sends again.', {
      p50: quantile(0.5, `http_server_request_duration_bucket{job="gateway",${WEBHOOK_ROUTE}}`),
      p99: quantile(0.99, `http_server_request_duration_bucket{job="gateway",${WEBHOOK_ROUTE}}`),
    }),
    chart('Webhooks to tenants by outcome', 'reqps', 'refused: their endpoint responded with an error.', {
      '{{outcome}}': perSecond('billing_delivery_attempts_total', 'outcome'),
    }),
    chart(
      'Oldest event that waits for an endpoint',
      's',
      'Of endpoints that do not fail: a team is at its pace, or webhooks needs another copy.',
      {
        lag: 'max(billing_delivery_lag)',
      },
    ),
    chart('Response times of endpoints', 's', 'Slow ones share a small part of the requests on their way.', {
      p50: quantile(0.5, 'billing_delivery_duration_bucket'),
      p99: quantile(0.99, 'billing_delivery_duration_bucket'),
    }),
    chart('Endpoints that fail or are disabled', 'short', 'Each is a tenant’s; many at once point at our network.', {
      '{{status}}': 'max by (status) (billing_delivery_endpoints{status!="enabled"})',
    }),
    chart('Age of signatures', 's', 'More than a few seconds in the future: a clock is wrong.', {
      '{{direction}}': quantile(0.95, 'billing_webhook_signature_age_bucket', 'direction'),
    }),
  ],
};

/** Who lags? Where work waits, and for what. */
const lag: Page = {
  id: 'lag',
  title: 'Who lags?',
  panels: [
    chart(
      'Messages behind, by consumer',
      'short',
      'Give the service of the consumer another copy, or look at its errors.',
      { '{{consumer}} {{state}}': 'topk(10, sum by (consumer, state) (billing_consumer_lag) > 0)' },
    ),
    chart(
      'Events that wait to be published',
      'short',
      'They grow while NATS is away or full. Writes pause at OUTBOX_HIGH_WATER.',
      { '{{job}} {{table}}': 'sum by (job, table) (billing_outbox_events)' },
    ),
    chart('Oldest event in an outbox', 's', 'More than a minute: the relay can’t publish.', {
      '{{job}}': 'max by (job) (billing_outbox_age)',
    }),
    chart('Deliveries tried again', 'eps', 'Handlers that fail; the log of the service names the error.', {
      '{{messaging_consumer_group_name}}':
        'topk(10, sum by (messaging_consumer_group_name) (rate(billing_consumer_retries_total[5m])))',
    }),
    chart('Dead letters', 'short', 'npm run dead-letters -- list.', {
      '{{consumer}}': 'sum by (consumer) (billing_dead_letters) > 0',
    }),
    chart('Given up', 'short', 'Events that failed for good in the last 15 minutes.', {
      '{{messaging_consumer_group_name}}':
        'sum by (messaging_consumer_group_name) (increase(billing_consumer_dead_letters_total[15m])) > 0',
    }),
    chart('Time of handlers', 's', 'For their part of a batch.', {
      '{{messaging_consumer_group_name}}': `topk(10, ${quantile(0.95, 'billing_consumer_handler_duration_bucket', 'messaging_consumer_group_name')})`,
    }),
    chart('Deliveries in a batch', 'short', 'Large batches mean a flood; they are cheaper than many small ones.', {
      '{{messaging_consumer_group_name}}': `topk(10, ${quantile(0.5, 'billing_consumer_batch_size_bucket', 'messaging_consumer_group_name')})`,
    }),
    chart('Batches out of time', 'eps', 'A lock or a slow query: see "slow query" in the log.', {
      '{{messaging_consumer_group_name}}': perSecond(
        'billing_consumer_timeouts_total',
        'messaging_consumer_group_name',
      ),
    }),
    chart('Duplicates', 'eps', 'Deliveries of events that were handled before; harmless.', {
      '{{messaging_consumer_group_name}}': perSecond(
        'billing_consumer_duplicates_total',
        'messaging_consumer_group_name',
      ),
    }),
    chart(
      'Leases that expired',
      'eps',
      'Work took longer than its lease: a process is starved, or the database is slow.',
      { '{{job}} {{table}}': perSecond('billing_leases_expired_total', 'job, table') },
    ),
    chart('Delay of the event loop', 's', 'Above 0.2 s the process needs another copy.', {
      '{{job}}': 'max by (job) (nodejs_eventloop_delay_p99)',
    }),
    chart('Connections to PostgreSQL', 'short', 'By state, of each service.', {
      '{{job}} {{db_client_connection_state}}': 'sum by (job, db_client_connection_state) (db_client_connection_count)',
    }),
    chart(
      'Queries that wait for a connection',
      'short',
      'More than a few for minutes: the pool is too small, or queries are slow.',
      { '{{job}}': 'sum by (job) (db_client_connection_pending_requests)' },
    ),
    chart('Time of queries', 's', 'By operation.', {
      '{{job}} {{db_operation_name}}': `topk(10, ${quantile(0.95, 'db_client_operation_duration_bucket', 'job, db_operation_name')})`,
    }),
    chart('Memory in use', 'bytes', 'The heap of each process.', { '{{job}}': 'sum by (job) (v8js_memory_heap_used)' }),
  ],
};

/** Which tenant? Who sends too much, and who waits. */
const tenants: Page = {
  id: 'tenants',
  title: 'Which tenant?',
  panels: [
    chart(
      'Webhook events that wait, by team',
      'short',
      'The ten teams with the most. A flood of one team waits for itself.',
      { '{{billing_team_id}}': 'max by (billing_team_id) (billing_webhook_waiting_events)' },
    ),
    chart('Refused requests, by team and limit', 'reqps', 'Raise the limit (RATE_LIMIT_…), or talk to the team.', {
      '{{billing_team_id}} {{limit}}':
        'topk(10, sum by (billing_team_id, limit) (rate(billing_gateway_refusals_total[5m])) > 0)',
    }),
    chart('Refused requests by limit', 'reqps', 'Bad keys and sign-ins come from strangers.', {
      '{{limit}}': perSecond('billing_gateway_refusals_total', 'limit'),
    }),
    chart('Requests by route', 'reqps', 'The routes that are used most.', {
      '{{http_request_method}} {{http_route}}': `topk(10, ${perSecond(OF_GATEWAY, 'http_request_method, http_route')})`,
    }),
  ],
};

export const DASHBOARD_PAGES: readonly Page[] = [money, lag, tenants];
