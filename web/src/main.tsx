// First: the schemas of the contract ask it when they are made.
import './shell/without-eval.ts';
import { QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Router } from 'wouter';
import { queries } from './session/api.ts';
import { BASE } from './session/base.ts';
import { Gate } from './session/gate.tsx';
import { ErrorBoundary } from './shell/error-boundary.tsx';
import { applyTheme } from './shell/theme.ts';
import './style/theme.css';
import './style/base.css';
import './style/parts.css';
import './style/shell.css';

applyTheme();
createRoot(document.getElementById('page')!).render(
  <StrictMode>
    <ErrorBoundary what="The web UI">
      <QueryClientProvider client={queries}>
        <Router base={BASE}>
          <Gate />
        </Router>
      </QueryClientProvider>
    </ErrorBoundary>
  </StrictMode>,
);
