/** The ids of one example company; every example uses them, so the examples fit together. */
export const exampleIds = {
  team: 'team_4k2v8m6qz0r3w7n5t1x9b2c8',
  project: 'proj_7h3j9s5d1f8g2k6m4p0q7r3v',
  product: 'pp_2w6x0y4z8a3b7c1d5e9f2g6h',
  price: 'pri_5m9n3p7q1r5s9t3v7w1x5y9z',
  customer: 'pc_8b2c6d0e4f8g2h6j0k4m8n2p',
  referee: 'pc_1q5r9s3t7v1w5x9y3z7a1b5c',
  subscription: 'ps_6d0e4f8g2h6j0k4m8n2p6q0r',
  invoice: 'pinv_3t7v1w5x9y3z7a1b5c9d3e7f',
  payment: 'pay_7x1z5a9b3c7d1e5f9g3h7j1k',
  invitation: 'inv_2r6s0t4v8w2x6y0z4a8b2c6d',
  invitationToken: 'k3V9sT1wQ7xZ5bN8mR2cY6dL0pF4hJ7gA1eU3iO5tXs',
  apiKey: 'key_9g3h7j1k5m9n3p7q1r5s9t3v',
  auditEntry: 'aud_6w0x4y8z2a6b0c4d8e2f6g0h',
  referral: 'ref_0w4x8y2z6a0b4c8d2e6f0g4h',
  credit: 'cred_referrer_0w4x8y2z6a0b4c8d2e6f0g4h',
  portalSession: 'portal_sess_4j8k2m6n0p4q8r2s6t0v4w8x',
  user: 'Zq7RkT2mYp9LwX4c',
  referralCode: 'H7KQ2MXP',
  portalToken: 'b0Jx2yG7v1nQ4mT8kR5sW9zL3cF6hD0pA2eU7iY1oXk',
  deadLetter: 'dl_subscriptions_5f0c1d7e9a3b4c6d8e2f0a1b3c5d7e9f',
  sync: 'sync_8t2v6w0x4y8z1a5b9c3d7e1f',
  webhookEvent: 'evt_1RqZbK2eZvKYlo2CkV3mT9sX',
} as const;

/** When things of the example company were made, last changed, and until when they are paid. */
export const createdAt = '2026-03-02T09:30:00.000Z';
export const updatedAt = '2026-03-02T09:31:12.000Z';
export const periodEnd = '2026-04-02T09:30:00.000Z';

export const examplePagination = { limit: 50, offset: 0, total: 1, hasMore: false } as const;
