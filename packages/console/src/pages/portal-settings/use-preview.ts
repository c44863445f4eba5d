import type { PortalConfig } from '@billing/client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useProject } from '#api/project.ts';
import { configOf, type PortalForm } from './portal-form.ts';

/**
 * Returns the address of the portal's page with settings that are not saved, that of the last ones which the service took, and
 * why it takes others not.
 */
export function usePreview(form: PortalForm, language: PortalConfig['defaultLanguage']) {
  const { billing, key } = useProject();
  const draft = { portalConfig: configOf(form), language };
  const { data, error, refetch } = useQuery({
    queryKey: key('portal-preview', draft),
    queryFn: ({ signal }) => billing.portalConfig.preview(draft, { signal }),
    staleTime: Infinity,
    gcTime: 0,
  });
  const [url, setUrl] = useState<string>();
  if (data && data.url !== url) setUrl(data.url);
  return { url, error, retry: () => void refetch() };
}
