import { useQuery } from '@tanstack/react-query';
import { useProject } from '#api/project.ts';
import { pricesQuery } from '#api/queries.ts';
import { useProductNames } from '#api/use-product-names.ts';
import { ProjectLink } from '#layout/project-link.tsx';
import { formatPrice } from '#ui/amount.ts';
import { Skeleton } from '#ui/states.tsx';

/** Returns how a price is called: what it sells and costs, as far as that is known. */
export function usePriceName(): (id: string) => string {
  const { data: prices = [] } = useQuery(pricesQuery(useProject()));
  const names = useProductNames();
  return id => {
    const price = prices.find(it => it.id === id);
    return [names.ofPrice(id), price && formatPrice(price)].filter(Boolean).join(', ') || 'price';
  };
}

/** What a price sells and costs, as a link to its product; its id once it was deleted. */
export function PriceLabel({ id }: { readonly id: string }) {
  const { data: prices } = useQuery(pricesQuery(useProject()));
  const names = useProductNames();
  if (!prices || !names.isLoaded) return <Skeleton width="9rem" />;
  const price = prices.find(it => it.id === id);
  if (!price) return <code>{id}</code>;
  return (
    <ProjectLink page={`products/${price.productId}`}>
      <bdi>{names.ofPrice(id)}</bdi>: <span className="num">{formatPrice(price)}</span>
    </ProjectLink>
  );
}
