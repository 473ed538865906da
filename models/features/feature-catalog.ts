/** One switch of a tenant. */
export interface Feature {
  readonly key: string;
  readonly title: string;
  readonly description: string;
  readonly default: boolean;
}

/** What can be switched per tenant; a missing key of a tenant's `features` means the default here. */
export const FEATURES: readonly Feature[] = [
  {
    key: 'notification_email',
    title: 'Notifications by e-mail',
    description: 'Notifications are also sent by e-mail to the people whose preferences ask for it.',
    default: true,
  },
  {
    key: 'promotion_approval',
    title: 'Approval of promotions',
    description:
      'A second person with PRODUCTION_PROMOTE must approve a promotion to Production, within 7 days. ' +
      'Without it a promotion is applied as soon as its checks are green.',
    default: false,
  },
];

/** What a tenant has that says nothing of the feature. */
export const featureDefault = (key: string): boolean =>
  FEATURES.find((feature) => feature.key === key)?.default ?? false;
