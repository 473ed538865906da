from .agent_case import AgentCase, model


class StartCase(AgentCase):
    def test_predicts_and_keeps_records_while_the_platform_has_not_been_reached_yet(self):
        self.watch_images()
        self.platform.models = {("digits", 1): model("one")}
        agent, thread = self.start()
        self.deploy("digits", 1)
        self.end(agent, thread)
        self.platform.is_away = True
        again, _ = self.start()
        (self.settings.images / "a.png").write_bytes(b"alone")
        self.wait(lambda: again.inference.waiting() and not list(self.settings.images.iterdir()))
        self.assertEqual(self.platform.batches, {})
        self.platform.is_away = False
        self.wait(lambda: self.sent_predictions() == ["alone"])
        self.assertEqual(len(self.platform.registrations), 2)

    def test_registers_again_and_again_while_the_platform_refuses_and_takes_commands_then(self):
        self.platform.refusals = [("/register", 422), ("/register", 403)]
        self.platform.command("c", "refresh_config")
        self.start()
        self.wait(lambda: self.final_acks())
        asked = [path for method, path in self.platform.requests if method == "POST" and path.endswith((":ack", "/register"))]
        self.assertEqual(asked, [*["/api/v1/edge/register"] * 3, "/api/v1/edge/commands/c:ack"])

    def test_works_by_the_policy_of_its_registration_where_it_may_not_read_it(self):
        self.platform.refusals = [("/config", 403)] * 10_000
        self.platform.models = {("digits", 1): model("one")}
        agent, _ = self.start()
        self.assertEqual(self.deploy("digits", 1)["status"], "succeeded")
        agent.predict(b"p", "a.png")
        self.wait(lambda: self.sent_predictions() == ["p"] and self.platform.heartbeats)
        self.assertEqual(self.platform.heartbeats[-1]["policy_revision"], 3)

    def test_ends_with_2_when_the_platform_does_not_know_its_token_at_the_start(self):
        self.platform.refusals = [("/register", 401)]
        agent, thread = self.start()
        thread.join(10)
        self.assertFalse(thread.is_alive())
        self.assertEqual(agent.exit_code, 2)
