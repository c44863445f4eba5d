import { BillingError, type PortalConfig } from '@billing/client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useProject } from '#api/project.ts';
import { watchedFetch } from '#api/watched-fetch.ts';
import { configOf, type PortalForm } from './portal-form.ts';

/** Returns the address of the portal's page with settings that are not saved, once the service takes them. */
export function usePreview(form: PortalForm, language: PortalConfig['defaultLanguage'] | undefined) {
  const { teamId, projectId, key } = useProject();
  const query = new URLSearchParams({ config: JSON.stringify(configOf(form)), lang: language ?? form.language });
  const src = `/api/service/teams/${teamId}/projects/${projectId}/portal-config/preview?${query}`;
  return useQuery({
    queryKey: key('portal-preview', src),
    queryFn: async ({ signal }) => {
      const response = await watchedFetch(src, { signal });
      if (!response.ok) throw BillingError.fromResponse(response, await response.text());
      return src;
    },
    placeholderData: keepPreviousData,
    staleTime: Infinity,
    gcTime: 0,
  });
}
