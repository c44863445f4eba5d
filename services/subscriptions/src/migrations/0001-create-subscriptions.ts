import { Migration } from '@mikro-orm/migrations';

/**
 * Events change subscriptions, invoices and payments often: with free space on its page, a row is updated without new
 * entries in the indexes. Of each table's indexes only that of the newest rows begins with the team and the project: while
 * the statistics say that a project has few rows, a list would otherwise take any of them, and sort all that it has.
 */
export class CreateSubscriptions extends Migration {
  override up(): void {
    this.#createSubscriptions();
    this.#createShownStates();
    this.#createInvoicesAndPayments();
    this.#createCheckoutSessions();
    this.#createCopies();
    this.#createCustomerStates();
  }

  #createSubscriptions(): void {
    this.addSql(`
      create table subscriptions (
        id text primary key,
        team_id text not null,
        project_id text not null,
        customer_id text not null,
        processor_subscription_id text not null,
        processor_customer_id text not null,
        price_id text,
        status text not null,
        quantity bigint not null,
        cancel_at_period_end boolean not null,
        cancel_at timestamptz,
        canceled_at timestamptz,
        cancellation jsonb,
        involuntary boolean not null,
        save_offer text,
        pause_behavior text,
        pause_resumes_at timestamptz,
        items jsonb not null,
        discounts jsonb not null,
        schedule jsonb,
        pending_change jsonb,
        current_period_start timestamptz not null,
        current_period_end timestamptz not null,
        trial_end timestamptz,
        announced_trial_end timestamptz, -- the end of a trial that was published as near
        started_at timestamptz not null,
        ended_at timestamptz,
        default_payment_method_id text,
        metadata jsonb not null,
        version int not null,
        sequence int not null, -- of its last event for tenants
        event_at timestamptz,
        event_rank smallint,
        event_id text,
        read_at timestamptz,
        operation_key text, -- of the last change of its plan
        created_at timestamptz not null,
        updated_at timestamptz not null,
        constraint subscriptions_processor_id_unique unique (processor_subscription_id, team_id, project_id)
      ) with (fillfactor = 70)`);
    this.addSql(`create index subscriptions_newest on subscriptions (team_id, project_id, created_at, id)`);
    this.addSql(`create index subscriptions_customer on subscriptions (customer_id, team_id, project_id)`);
    this.addSql(
      `create index subscriptions_processor_customer on subscriptions (processor_customer_id, team_id, project_id)`,
    );
  }

  /** Each state that was shown of a subscription, once for each time; a digest of the state tells those of one second apart. */
  #createShownStates(): void {
    this.addSql(`
      create table shown_states (
        team_id text not null,
        project_id text not null,
        subscription_id text not null,
        shown_at timestamptz not null,
        shown_by smallint not null,
        digest text not null,
        state json not null,
        primary key (team_id, project_id, subscription_id, shown_at, shown_by, digest)
      )`);
  }

  #createInvoicesAndPayments(): void {
    this.addSql(`
      create table invoices (
        id text primary key,
        team_id text not null,
        project_id text not null,
        processor_invoice_id text not null,
        customer_id text not null,
        subscription_id text,
        processor_subscription_id text,
        number text,
        status text not null,
        amount_due bigint not null,
        amount_paid bigint not null,
        amount_remaining bigint not null,
        attempted boolean not null,
        attempts bigint not null,
        next_attempt_at timestamptz,
        finalized_at timestamptz,
        currency text not null,
        billing_reason text,
        hosted_invoice_url text,
        invoice_pdf_url text,
        period_start timestamptz,
        period_end timestamptz,
        due_date timestamptz,
        paid_at timestamptz,
        given_up_at timestamptz,
        has_failed boolean not null, -- whether a payment of it failed, whatever became of it
        version int not null,
        sequence int not null,
        event_at timestamptz not null,
        event_rank smallint not null,
        event_id text not null,
        operation_key text,
        created_at timestamptz not null,
        updated_at timestamptz not null,
        constraint invoices_processor_id_unique unique (processor_invoice_id, team_id, project_id)
      ) with (fillfactor = 70)`);
    this.addSql(`create index invoices_newest on invoices (team_id, project_id, created_at, id)`);
    this.addSql(`create index invoices_subscription on invoices (subscription_id, team_id, project_id)`);
    this.addSql(`create index invoices_open on invoices (project_id, team_id, created_at, id) where status = 'open'`);
    this.addSql(`create index invoices_failed on invoices (project_id, team_id, finalized_at, id) where has_failed`);
    this.addSql(
      `create index invoices_number on invoices using gin (project_id, number gin_trgm_ops) with (fastupdate = off)`,
    );
    this.addSql(`create index invoices_customer on invoices (customer_id, team_id, project_id)`);
    this.addSql(
      `create index invoices_processor_subscription on invoices (processor_subscription_id, team_id, project_id)`,
    );
    this.addSql(`
      create table deleted_invoices (
        processor_invoice_id text not null,
        team_id text not null,
        project_id text not null,
        primary key (processor_invoice_id, team_id, project_id)
      )`);

    this.addSql(`
      create table payments (
        id text primary key,
        team_id text not null,
        project_id text not null,
        processor_id text not null,
        processor_payment_intent_id text,
        processor_charge_id text,
        processor_customer_id text,
        customer_id text,
        processor_invoice_id text,
        invoice_id text,
        status text,
        amount bigint,
        amount_refunded bigint not null,
        currency text,
        failure_code text,
        failure_message text,
        payment_method jsonb,
        observations jsonb not null,
        sequence int not null,
        created_at timestamptz not null,
        updated_at timestamptz not null,
        constraint payments_processor_id_unique unique (processor_id, team_id, project_id)
      ) with (fillfactor = 70)`);
    this.addSql(`create index payments_newest on payments (team_id, project_id, created_at, id)`);
    this.addSql(`create index payments_customer on payments (customer_id, team_id, project_id)`);
    this.addSql(`create index payments_invoice on payments (processor_invoice_id, team_id, project_id)`);
    this.addSql(`create index payments_charge on payments (processor_charge_id, team_id, project_id)`);
  }

  #createCheckoutSessions(): void {
    this.addSql(`
      create table checkout_sessions (
        id uuid primary key,
        team_id text not null,
        project_id text not null,
        customer_id text not null,
        price_id text,
        state text not null,
        processor_session_id text,
        processor_subscription_id text,
        url text,
        read_at timestamptz,
        created_at timestamptz not null,
        updated_at timestamptz not null,
        constraint checkout_sessions_processor_id_unique unique (team_id, project_id, processor_session_id)
      )`);
    this.addSql(
      `create index checkout_sessions_open on checkout_sessions (customer_id, team_id, project_id) where state = 'open'`,
    );
  }

  #createCopies(): void {
    this.addSql(`
      create table customer_copies (
        id text primary key,
        team_id text not null,
        project_id text not null,
        processor_customer_id text not null,
        email text,
        external_id text,
        balance jsonb,
        version int not null,
        created_at timestamptz not null,
        deleted_at timestamptz,
        processor_deleted_at timestamptz,
        payment_method_replaced_at timestamptz
      )`);
    this.addSql(
      `create index customer_copies_processor_id on customer_copies (team_id, project_id, processor_customer_id)`,
    );
    this.addSql(`create index customer_copies_external_id on customer_copies (team_id, project_id, external_id)`);
    this.addSql(`
      create table customer_intakes (
        customer_id text primary key,
        team_id text not null,
        project_id text not null,
        processor_customer_id text not null,
        attempts int not null,
        due_at timestamptz,
        lease_id uuid,
        created_at timestamptz not null
      )`);
    this.addSql(`create index customer_intakes_due on customer_intakes (due_at) where due_at is not null`);
    this.addSql(`
      create table product_copies (
        id text primary key,
        team_id text not null,
        project_id text not null,
        name text not null,
        is_active boolean not null,
        version int not null,
        deleted_at timestamptz
      )`);
    this.addSql(`
      create table price_copies (
        id text primary key,
        team_id text not null,
        project_id text not null,
        product_id text not null,
        type text not null,
        is_active boolean not null,
        metered boolean not null,
        processor_price_id text not null,
        version int not null,
        deleted_at timestamptz
      )`);
    this.addSql(`create index price_copies_processor_id on price_copies (team_id, project_id, processor_price_id)`);
    this.addSql(`
      create table discount_copies (
        id text primary key,
        team_id text not null,
        project_id text not null,
        kind text not null,
        processor_id text not null,
        version int not null,
        deleted_at timestamptz
      )`);
    this.addSql(
      `create index discount_copies_processor_id on discount_copies (team_id, project_id, kind, processor_id)`,
    );
    this.addSql(`
      create table project_copies (
        id text primary key,
        team_id text not null,
        grace_days int not null,
        version int not null
      )`);
    this.addSql(`
      create table feature_copies (
        team_id text not null,
        project_id text not null,
        key text not null,
        type text not null,
        "values" jsonb,
        merge text,
        is_active boolean not null,
        version int not null,
        primary key (team_id, project_id, key)
      )`);
    this.addSql(`
      create table product_feature_copies (
        team_id text not null,
        project_id text not null,
        owner_id text not null, -- a product or a price
        key text not null,
        value jsonb, -- null when it gives none any more
        per text not null,
        version int not null,
        primary key (team_id, project_id, owner_id, key)
      )`);
    this.addSql(`
      create table grant_copies (
        team_id text not null,
        project_id text not null,
        customer_id text not null,
        key text not null,
        value jsonb, -- null when it was taken back
        expires_at timestamptz,
        version int not null,
        primary key (team_id, project_id, customer_id, key)
      )`);
  }

  #createCustomerStates(): void {
    this.addSql(`
      create table customer_states (
        team_id text not null,
        project_id text not null,
        customer_id text not null,
        sequence int not null, -- how many events there were
        state json not null, -- the last published one
        due_at timestamptz, -- when time alone takes something away next
        primary key (team_id, project_id, customer_id)
      ) with (fillfactor = 70)`);
    this.addSql(`create index customer_states_due on customer_states (team_id, due_at) where due_at is not null`);
    this.addSql(`
      create table customer_state_marks (
        id bigint generated always as identity primary key,
        team_id text not null,
        project_id text not null,
        customer_id text, -- null: all whom the owner, the feature, or else the project concerns
        owner_id text,
        feature_key text,
        walk text not null default 'subscriptions', -- of many customers: the rows that are looked through
        after text, -- the last of these
        attempts int not null default 0,
        due_at timestamptz not null
      )`);
    this.addSql(`create index customer_state_marks_due on customer_state_marks (team_id, due_at)`);
    this.addSql(
      `create index customer_state_marks_of_many on customer_state_marks (team_id, due_at) where customer_id is null`,
    );
  }
}
