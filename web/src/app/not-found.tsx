import { Anchor, Stack, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { text } from '../text';

export function NotFoundPage() {
  return (
    <Stack p="lg" gap="sm">
      <Title order={1} size="h3">
        {text.frame.notFound}
      </Title>
      <Text>{text.frame.notFoundHint}</Text>
      <Anchor component={Link} to="/">
        {text.frame.toStart}
      </Anchor>
    </Stack>
  );
}
