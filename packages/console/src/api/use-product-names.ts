import { useQuery } from '@tanstack/react-query';
import { productNames, type ProductNames } from './product-names.ts';
import { useProject } from './project.ts';
import { pricesQuery, productsQuery } from './queries.ts';

const FRESH_MS = 60_000;

/** The names of the products of the open project, or of another, by price; loaded once, however many rows show one. */
export function useProductNames(projectId?: string): ProductNames {
  const scope = useProject(projectId);
  const { data: products } = useQuery({ ...productsQuery(scope), staleTime: FRESH_MS });
  const { data: prices } = useQuery({ ...pricesQuery(scope), staleTime: FRESH_MS });
  return productNames(prices, products);
}
