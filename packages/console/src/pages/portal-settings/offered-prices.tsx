import { useQuery } from '@tanstack/react-query';
import { useProject } from '#api/project.ts';
import { pricesQuery } from '#api/queries.ts';
import { useProductNames } from '#api/use-product-names.ts';
import { formatPrice } from '#ui/amount.ts';
import { Button } from '#ui/button.tsx';
import { SelectField } from '#ui/field.tsx';
import { MAX_PRICES, movedUp, offerable } from './portal-form.ts';

interface OfferedPricesProps {
  readonly chosen: readonly string[];
  readonly onChange: (chosen: readonly string[]) => void;
  readonly problem: string | undefined;
}

/** The prices that the portal offers, in the order in which customers see them. */
export function OfferedPrices({ chosen, onChange, problem }: OfferedPricesProps) {
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
