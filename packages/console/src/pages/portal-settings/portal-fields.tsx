import { useQuery } from '@tanstack/react-query';
import { useProject, useProjectDetails } from '#api/project.ts';
import { pricesQuery } from '#api/queries.ts';
import { useProductNames } from '#api/use-product-names.ts';
import { Card } from '#layout/page.tsx';
import { formatPrice } from '#ui/amount.ts';
import { Button } from '#ui/button.tsx';
import { Options, QuantityField, SelectField, TextField } from '#ui/field.tsx';
import { PRORATIONS, TIMES } from '../subscriptions/plan-form.ts';
import { LANGUAGES } from './portal-form.ts';
import { MAX_PRICES, movedUp, offerable, type PortalForm, type PortalProblems } from './portal-form.ts';

interface FieldsProps {
  readonly form: PortalForm;
  readonly set: (changed: Partial<PortalForm>) => void;
  readonly problems: PortalProblems;
}

/** What stands at the top of the portal, and its color and language. */
export function LookCard({ form: { brand, language }, set, problems }: FieldsProps) {
  const { name } = useProjectDetails();
  const text = (field: keyof typeof brand) => ({
    value: brand[field],
    problem: problems[`brand.${field}`],
    onChange: (event: { readonly target: { readonly value: string } }) =>
      set({ brand: { ...brand, [field]: event.target.value } }),
  });
  return (
    <Card title="Look">
      <div className="stack">
        <TextField label="Name" maxLength={120} placeholder={name} {...text('name')} />
        <TextField
          label="Logo"
          type="url"
          placeholder="https://"
          hint="The address of a square image, by https."
          {...text('logoUrl')}
        />
        <div className="form-grid">
          <TextField
            label="Color of buttons and links"
            maxLength={7}
            placeholder="#1a7f5a"
            spellCheck={false}
            autoComplete="off"
            {...text('accentColor')}
          />
          <SelectField
            label="Default language"
            hint="For browsers that ask for none."
            value={language}
            onChange={event => set({ language: event.target.value as PortalForm['language'] })} // its options
          >
            <Options of={LANGUAGES} />
          </SelectField>
        </div>
        <TextField
          label="Where customers get help"
          type="url"
          placeholder="https://"
          hint="A page, or mailto: and an e-mail address."
          {...text('supportUrl')}
        />
        <TextField
          label="The way back to your product"
          type="url"
          placeholder="https://"
          hint="For links to the portal without their own."
          {...text('returnUrl')}
        />
      </div>
    </Card>
  );
}

/** Which changes of their plan customers make themselves. */
export function ChangesCard({ form, set, problems }: FieldsProps) {
  const choice = (field: 'when' | 'proration') => ({
    value: form[field],
    onChange: (event: { readonly target: { readonly value: string } }) => set({ [field]: event.target.value }), // its options
  });
  return (
    <Card title="Changes of the plan" lead="Customers see what a change costs before they confirm it.">
      <div className="stack">
        <Switch checked={form.switchesPlans} onChange={switchesPlans => set({ switchesPlans })}>
          Customers can change their plan
        </Switch>
        <OfferedPrices
          chosen={form.priceIds}
          onChange={priceIds => set({ priceIds })}
          problem={problems['planSwitch.priceIds']}
        />
        <Switch checked={form.changesQuantity} onChange={changesQuantity => set({ changesQuantity })}>
          Customers can change the quantity
        </Switch>
        <div className="form-grid">
          {(['min', 'max'] as const).map(end => (
            <QuantityField
              key={end}
              label={end === 'min' ? 'At least' : 'At most'}
              disabled={!form.changesQuantity}
              value={form[end]}
              onChange={event => set({ [end]: event.target.value })}
              problem={problems[`quantity.${end}`]}
            />
          ))}
        </div>
        <SelectField label="A change takes effect" {...choice('when')}>
          <Options of={TIMES} />
        </SelectField>
        <SelectField label="The rest of the period is billed" {...choice('proration')}>
          <Options of={PRORATIONS} />
        </SelectField>
      </div>
    </Card>
  );
}

/** Which questions and offers customers get who cancel. */
export function CancellationCard({ form, set, problems }: FieldsProps) {
  const { billing, key } = useProject();
  const { data: codes = [] } = useQuery({
    queryKey: key('promotion-codes', 'choice'),
    queryFn: async ({ signal }) => (await billing.promotionCodes.list({ limit: 100 }, { signal }).page()).items,
  });
  const offered = form.promotionCodeId;
  const choices = codes.filter(({ id, isActive }) => isActive || id === offered);
  return (
    <Card title="Cancellation">
      <div className="stack">
        <Switch checked={form.asksReason} onChange={asksReason => set({ asksReason })}>
          Ask why
        </Switch>
        <SelectField
          label="Offer a discount once, before they cancel"
          value={offered}
          onChange={event => set({ promotionCodeId: event.target.value })}
          problem={problems['cancellation.saveOffer']}
        >
          <option value="">No offer</option>
          {offered !== '' && !choices.some(({ id }) => id === offered) && <option value={offered}>{offered}</option>}
          {choices.map(({ id, code }) => (
            <option key={id} value={id}>
              {code}
            </option>
          ))}
        </SelectField>
      </div>
    </Card>
  );
}

/** Whether customers pause what they pay, and for how long. */
export const PauseCard = ({ form, set, problems }: FieldsProps) => (
  <Card title="Pause" lead="While payments are paused, invoices are voided.">
    <div className="stack">
      <Switch checked={form.pauses} onChange={pauses => set({ pauses })}>
        Customers can pause their payments
      </Switch>
      <TextField
        label="Longest pause, in days"
        type="number"
        min={1}
        max={365}
        hint="Empty for pauses that may last until the customer ends them."
        disabled={!form.pauses}
        value={form.maxPauseDays}
        onChange={event => set({ maxPauseDays: event.target.value })}
        problem={problems['pause.maxDays']}
      />
    </div>
  </Card>
);

/** Whether customers look after what stands on their invoices. */
export const BillingDetailsCard = ({ form, set }: Omit<FieldsProps, 'problems'>) => (
  <Card title="Billing details">
    <Switch checked={form.showsBillingDetails} onChange={showsBillingDetails => set({ showsBillingDetails })}>
      Customers can change the address and tax ids on their invoices
    </Switch>
  </Card>
);

interface SwitchProps {
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
  readonly children: string;
}

const Switch = ({ checked, onChange, children }: SwitchProps) => (
  <label className="check">
    <input type="checkbox" checked={checked} onChange={event => onChange(event.target.checked)} />
    {children}
  </label>
);

interface OfferedPricesProps {
  readonly chosen: readonly string[];
  readonly onChange: (chosen: readonly string[]) => void;
  readonly problem: string | undefined;
}

/** The prices that the portal offers, in the order in which customers see them. */
function OfferedPrices({ chosen, onChange, problem }: OfferedPricesProps) {
  const names = useProductNames();
  const { data: prices = [] } = useQuery(pricesQuery(useProject()));
  const others = offerable(prices, chosen, id => names.productOf(id)?.isActive ?? false);
  const nameOf = (id: string) => {
    const price = prices.find(it => it.id === id);
    return price ? `${names.ofPrice(id) ?? id}: ${formatPrice(price)}${price.isActive ? '' : ' (archived)'}` : id;
  };
  return (
    <>
      {chosen.length > 0 && (
        <ol className="offered" aria-label="What is offered">
          {chosen.map((id, at) => (
            <li key={id}>
              <bdi className="grow">{nameOf(id)}</bdi>
              <Button
                kind="quiet"
                small
                icon="up"
                aria-label={`Move ${nameOf(id)} up`}
                aria-disabled={at === 0}
                onClick={() => onChange(movedUp(chosen, id))}
              />
              <Button
                kind="quiet"
                small
                icon="close"
                aria-label={`Do not offer ${nameOf(id)}`}
                onClick={() => onChange(chosen.filter(other => other !== id))}
              />
            </li>
          ))}
        </ol>
      )}
      <SelectField
        label="Offer a price"
        value=""
        onChange={event => onChange([...chosen, event.target.value])}
        hint={chosen.length === 0 ? 'Nothing is offered yet.' : undefined}
        problem={problem}
        disabled={others.length === 0 || chosen.length >= MAX_PRICES}
      >
        <option value="">{others.length === 0 ? 'There is no other one for sale' : 'Choose one'}</option>
        {others.map(({ id }) => (
          <option key={id} value={id}>
            {nameOf(id)}
          </option>
        ))}
      </SelectField>
    </>
  );
}
