"""A JupyterHub for a demonstration: many users on one machine, not kept apart.

Whoever logs in is believed, and all servers run as the user who started the hub: so it
listens to this machine only, and it is no way to run a class.
Settings come from the environment; `demo.py` sets them.
"""

import os
import sys
from pathlib import Path

c = get_config()  # noqa: F821
here = Path(sys.executable).parent
home = Path(os.environ["HUB_HOME"])

c.JupyterHub.bind_url = f"http://127.0.0.1:{os.environ['HUB_PORT']}"
c.JupyterHub.hub_port = int(os.environ["HUB_PORT"]) + 1
c.ConfigurableHTTPProxy.api_url = f"http://127.0.0.1:{int(os.environ['HUB_PORT']) + 2}"
c.ConfigurableHTTPProxy.command = [os.environ["HUB_PROXY"]]
c.JupyterHub.db_url = f"sqlite:///{home / 'hub.sqlite'}"
c.JupyterHub.cookie_secret_file = str(home / "cookie_secret")

c.JupyterHub.authenticator_class = "dummy"
c.DummyAuthenticator.password = os.environ["HUB_TOKEN"]
c.Authenticator.allow_all = True

c.JupyterHub.spawner_class = "simple"
c.SimpleLocalProcessSpawner.home_dir_template = str(home / "users" / "{username}")
c.Spawner.cmd = [str(here / "jupyterhub-singleuser")]
c.Spawner.args = ["--allow-root"] if hasattr(os, "getuid") and os.getuid() == 0 else []
c.Spawner.start_timeout = c.Spawner.http_timeout = 300
c.JupyterHub.concurrent_spawn_limit = 0  # all at once

c.JupyterHub.services = [{"name": "demo", "api_token": os.environ["HUB_TOKEN"]}]
c.JupyterHub.load_roles = [
    {
        "name": "demo",
        "services": ["demo"],
        "scopes": ["admin:users", "admin:servers", "access:servers"],
    }
]
