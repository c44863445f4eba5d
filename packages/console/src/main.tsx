import '@fontsource-variable/inter/wght.css';
import './styles/tokens.css';
import './styles/base.css';
import './styles/controls.css';
import './styles/layout.css';
import './styles/table.css';
import './styles/lines.css';
import './styles/overview.css';
import './styles/events.css';
import './styles/customer.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { queryClient } from '#api/client.ts';
import { tellOtherTabs } from '#api/session-news.ts';
import { RetryNotice } from '#layout/retry-notice.tsx';
import { SessionEnded } from '#layout/session-ended.tsx';
import { applyScheme } from '#layout/scheme.ts';
import { ToastProvider } from '#ui/toasts.tsx';
import { router } from './router.tsx';
import { follow, leave, watchSession } from './session-watch.ts';

applyScheme();
watchSession(router);
const root = document.querySelector('#root');
if (root)
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={queryClient}>
        <ToastProvider>
          <RouterProvider router={router} />
          <RetryNotice />
          <SessionEnded
            onEntered={async () => {
              tellOtherTabs();
              await follow(router);
            }}
            onLeave={() => leave(router)}
          />
        </ToastProvider>
      </QueryClientProvider>
    </StrictMode>,
  );
