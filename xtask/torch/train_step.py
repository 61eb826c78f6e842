"""The training step of `train benchmark` in PyTorch: same model, weights, batches and optimizer.

Reads a folder written by `train benchmark --export`, takes the steps, and prints one JSON object: the loss of
every step, and the median seconds of the timed ones. One thread. Called by `cargo xtask bench train`.
"""

import argparse
import json
import statistics
import time
from pathlib import Path

import torch
import torch.nn.functional as F
from safetensors.torch import load_file
from torch import nn


class Attention(nn.Module):
    """Self-attention with a stacked input projection, under the names of `nn.MultiheadAttention`."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.in_proj_weight = nn.Parameter(torch.empty(3 * width, width))
        self.in_proj_bias = nn.Parameter(torch.empty(3 * width))
        self.out_proj = nn.Linear(width, width)

    def forward(self, x, last_only):
        batch, tokens, width = x.shape
        if last_only:
            q = F.linear(x[:, -1:], self.in_proj_weight[:width], self.in_proj_bias[:width])
            k, v = F.linear(x, self.in_proj_weight[width:], self.in_proj_bias[width:]).chunk(2, -1)
        else:
            q, k, v = F.linear(x, self.in_proj_weight, self.in_proj_bias).chunk(3, -1)
        split = lambda y: y.view(batch, -1, self.heads, width // self.heads).transpose(1, 2)
        mixed = F.scaled_dot_product_attention(split(q), split(k), split(v))
        return self.out_proj(mixed.transpose(1, 2).reshape(batch, -1, width))


class Block(nn.Module):
    """Post-norm, GELU after both maps of the MLP."""

    def __init__(self, width, heads, hidden, epsilon):
        super().__init__()
        self.attention = Attention(width, heads)
        self.norm_1 = nn.LayerNorm(width, eps=epsilon)
        self.up = nn.Linear(width, hidden)
        self.down = nn.Linear(hidden, width)
        self.norm_2 = nn.LayerNorm(width, eps=epsilon)

    def forward(self, u, last_only):
        mixed = self.attention(u, last_only)
        h = self.norm_1((u[:, -1:] if last_only else u) + mixed)
        return self.norm_2(h + F.gelu(self.down(F.gelu(self.up(h)))))


class Encoder(nn.Module):
    """Embedding, blocks with a learned table added at the input of each, readout."""

    def __init__(self, config):
        super().__init__()
        width = config["width"]
        self.embedding = nn.Linear(config["inputs"], width)
        tables = [nn.Parameter(torch.empty(config["tokens"], width)) for _ in range(config["blocks"])]
        self.encoding = nn.Module()
        self.encoding.tables = nn.ParameterList(tables)
        make = lambda: Block(width, config["heads"], config["hidden"], config["norm_epsilon"])
        self.blocks = nn.ModuleList([make() for _ in range(config["blocks"])])
        self.readout = nn.Linear(width, config["outputs"])

    def forward(self, tokens, pruned):
        x = self.embedding(tokens)
        last = len(self.blocks) - 1
        for index, block in enumerate(self.blocks):
            x = block(x + self.encoding.tables[index], pruned and index == last)
        return self.readout(x)


def loss_of(model, batch, head, pruned):
    """Cross-entropy at the last token, or mean squared error at all."""
    output = model(batch["tokens"], pruned and head == "last-token")
    if head == "last-token":
        return F.cross_entropy(output[:, -1], batch["labels"])
    return F.mse_loss(output.squeeze(-1), batch["values"])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--steps", type=int, required=True)
    parser.add_argument("--warm-up", type=int, default=3)
    parser.add_argument("--compiled", action="store_true", help="torch.compile and fused AdamW")
    parser.add_argument("--pruned", action="store_true", help="compute the last block at the read token only")
    parser.add_argument("--device", default="cpu")
    args = parser.parse_args()
    torch.set_num_threads(1)

    config = json.loads((args.folder / "benchmark.json").read_text())
    model = Encoder(config["model"])
    model.load_state_dict(load_file(args.folder / "weights.safetensors"))
    model.to(args.device)
    data = load_file(args.folder / "batches.safetensors")
    count = config["batches"]

    def batch(index):
        part = {key.split(".", 1)[1]: value for key, value in data.items() if key.startswith(f"{index}.")}
        if "labels" in part:
            part["labels"] = part["labels"].long()
        return {key: value.to(args.device) for key, value in part.items()}

    batches = [batch(index) for index in range(count)]
    rule = config["optimizer"]
    optimizer = torch.optim.AdamW(
        model.parameters(),
        lr=rule["lr"],
        betas=tuple(rule["betas"]),
        eps=rule["epsilon"],
        weight_decay=rule["weight_decay"],
        fused=True if args.compiled else None,
    )
    function = torch.compile(loss_of) if args.compiled else loss_of

    losses, seconds = [], []
    for step in range(args.steps + args.warm_up):
        start = time.perf_counter()
        loss = function(model, batches[step % count], config["head"], args.pruned)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
        if step >= args.warm_up:
            seconds.append(time.perf_counter() - start)
    print(json.dumps({
        "losses": losses,
        "seconds_per_step": statistics.median(seconds),
        "best_seconds_per_step": min(seconds),
        "torch": torch.__version__,
    }))


if __name__ == "__main__":
    main()
