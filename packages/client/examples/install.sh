npm --prefix ../billing run pack:client
npm install ../billing/billing-client-0.1.0.tgz
